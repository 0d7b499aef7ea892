// The search over one model of the quick space: its counts hold against judgement pair by pair, and its
// seeded faults show.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "model/handshake/today.hpp"
#include "reports/silent/report.hpp"

namespace pageproof::silent {
namespace {

constexpr std::size_t kModel = 2;  // 4 KV heads
constexpr unsigned kThreads = 2;

const SilentSet& honest() {
  static const SilentSet set = find_silent(Extent::quick, kThreads, Fault::none, kModel);
  return set;
}

const ModelSpace& space() {
  static const ModelSpace made = model_space(Extent::quick, kModel);
  return made;
}

TEST(Search, FindsRightSilentAndRefusedPairs) {
  const SilentSet& set = honest();
  EXPECT_EQ(set.today.all(), set.pairs);
  EXPECT_GT(set.today[Fate::right], 0u);
  EXPECT_GT(set.today[Fate::wrong], 0u);
  EXPECT_GT(set.today[Fate::raises], 0u);
  EXPECT_GT(set.today[Fate::rejected], 0u);
  EXPECT_GT(set.today_by_flags[0][Fate::wrong], 0u) << "silent at default options";
}

TEST(Search, TheRulesLeaveNoSilentPair) {
  const SilentSet& set = honest();
  for (const Counts* counts : {&set.proposed, &set.open}) {
    EXPECT_EQ((*counts)[Fate::wrong], 0u);
    EXPECT_EQ((*counts)[Fate::raises], 0u);
    EXPECT_GT((*counts)[Fate::right], 0u);
  }
  EXPECT_GT(set.untagged[Fate::wrong], 0u) << "without tags they cannot";
}

TEST(Search, RightPairsAreKeptOrNamed) {
  const SilentSet& set = honest();
  std::uint64_t lost = 0;
  for (const auto& [rule, tally] : set.lost) lost += tally.pairs;
  std::uint64_t gained = 0;
  for (const auto& [sides, tally] : set.gained) gained += tally.pairs;
  EXPECT_EQ(set.proposed[Fate::right], set.today[Fate::right] - lost + gained);
}

TEST(Search, OneThreadFindsTheSame) {
  const SilentSet one = find_silent(Extent::quick, 1, Fault::none, kModel);
  EXPECT_EQ(to_json(one).dump(), to_json(honest()).dump());
}

TEST(Search, EveryFaultShows) {
  for (const Fault fault : {Fault::trusts_tags, Fault::ignores_permute, Fault::swaps_num_blocks}) {
    const SilentSet set = find_silent(Extent::quick, kThreads, fault, kModel);
    EXPECT_NE(set.today, honest().today) << static_cast<int>(fault);
  }
}

// Where pools have equally many blocks an exchange of the two numbers is invisible: no pair of the space is
// such a pair.
TEST(Search, PoolsNeverHaveEquallyManyBlocks) {
  std::set<std::uint64_t> decode;
  for (const Candidate& one : space().decode) decode.insert(one.side.metadata.num_blocks);
  for (const Candidate& one : space().prefill) EXPECT_FALSE(decode.contains(one.side.metadata.num_blocks));
}

TEST(Search, RequestsAreScatteredAndDiffer) {
  const Request request = request_of(space().decode.front().engine(), space().prefill.front().engine());
  EXPECT_NE(request.local, request.remote);
  EXPECT_GE(request.local.front().size(), 2u);
  EXPECT_NE(request.local.front()[1], request.local.front()[0] + 1);
  EXPECT_NE(request.remote.front()[1], request.remote.front()[0] + 1);
}

// What is remembered for engines that are alike, against the whole handshake of each pair by itself.
TEST(Search, AgreesWithPairsJudgedByThemselves) {
  Judge judge(Fault::none);
  std::uint64_t accepted = 0;
  const std::size_t pairs = space().decode.size() * space().prefill.size();
  for (std::size_t i = 0; i < pairs; i += 41) {
    const Candidate& local = space().decode[i / space().prefill.size()];
    const Candidate& remote = space().prefill[i % space().prefill.size()];
    for (const Flags flags : {Flags{}, Flags{.permute = true}, Flags{.unchecked = true}, Flags{true, true}}) {
      handshake::EngineSide side = flags.permute ? local.permuting : local.side;
      side.engine.enforce_handshake_compat = !flags.unchecked;
      const handshake::Attempt attempt = handshake::meet_today(side, remote.side);
      Fate fate = Fate::rejected;
      if (attempt.accepted()) {
        Steps steps;
        steps.permutes = attempt.worker.permute;
        steps.repacks = attempt.worker.repack;
        fate = judge_bytes(local, remote, remote.side.metadata, steps).fate;
        ++accepted;
      }
      ASSERT_EQ(judge.today(local, remote, flags).fate, fate)
          << described(remote.side) << " -> " << described(side);
      const handshake::Verdict verdict = handshake::meet_proposed(side, remote.side);
      const Judge::Ruling ruling = judge.proposed(local, remote, flags, false);
      ASSERT_EQ(ruling.fate == Fate::rejected, !verdict.accepted())
          << described(remote.side) << " -> " << described(side);
      if (!ruling.hash) {
        ASSERT_EQ(ruling.verdict.reason, verdict.reason);
      }
    }
  }
  EXPECT_GT(accepted, 100u);
}

TEST(Search, EveryCauseHoldsOfNoRightPairAndEveryWrongPairHasOne) {
  const SilentSet& set = honest();
  ASSERT_FALSE(set.cover.causes.empty());
  for (const Seen& seen : set.seen) {
    bool covered = false;
    for (const Cause& cause : set.cover.causes) {
      bool holds = true;
      for (const std::size_t i : cause.conditions) holds = holds && conditions()[i].holds(seen.features);
      covered = covered || holds;
    }
    EXPECT_FALSE(covered && seen.right != 0);
    EXPECT_TRUE(covered || seen.wrong == 0);
  }
}

TEST(Search, ExamplesAreWrong) {
  const SilentSet& set = honest();
  for (const Cause& cause : set.cover.causes) {
    const Example example = example_of(set.extent, set.examples[cause.example]);
    EXPECT_EQ(example.bytes.fate, Fate::wrong);
    ASSERT_TRUE(example.bytes.wrong.has_value());
    EXPECT_NE(example.bytes.wrong->expected, example.bytes.wrong->got);
    EXPECT_FALSE(story(example).empty());
  }
}

}  // namespace
}  // namespace pageproof::silent
