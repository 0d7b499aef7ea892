// Executed handshakes over the graph, and what failed ones leave: the same list, found twice.
#include "reports/structure/walks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/structure/corpus.hpp"

namespace pageproof::structure {
namespace {

using handshake::Worker;
using region::Behaviour;
using testing::IsEmpty;

TEST(Walks, EveryArcOfTodayIsTaken) {
  const Handshake today = handshake_of(Order::today, Behaviour::s2);
  const Walked walked = walk(Order::today, Behaviour::s2);
  EXPECT_GT(walked.handshakes, 10'000u);
  EXPECT_THAT(walked.never_taken, IsEmpty());
  EXPECT_THAT(walked.never_marked, IsEmpty());
  EXPECT_THAT(surprising(today, walked), IsEmpty());
  for (const Broken& broken : walked.broken) ADD_FAILURE() << broken.example << ": " << broken.got;
}

// An engine of the corpus is one that could be described: no format of a name that no longer exists.
TEST(Walks, TheCorpusKnowsItsPageFormats) {
  visit_meetings(Behaviour::s2, true, [](const Meeting& m) {
    const std::string format = region::page_format_of(m.decoder.engine);
    ASSERT_TRUE(region::has_two_slots(format, "").has_value()) << m.name << ": " << format;
  });
}

// An arc that nothing takes is named, and so is one that was thought impossible.
TEST(Walks, SurprisesAreNamed) {
  const Handshake proposed = handshake_of(Order::proposed, Behaviour::s2);
  Walked walked;
  EXPECT_EQ(surprising(proposed, walked).size(), 9u);  // all that cannot fail did
  walked.never_taken = {"tag present fails -> rejected", "convert: check 1 fails -> rejected"};
  EXPECT_THAT(surprising(proposed, walked), testing::Contains("tag present fails -> rejected: never taken"));
  EXPECT_EQ(surprising(proposed, walked).size(), 10u);
}

// The graph says what stays after a failure; so do the workers of handshakes that failed.
TEST(Walks, FailedHandshakesLeaveWhatTheGraphSays) {
  for (const Behaviour behaviour : {Behaviour::s0, Behaviour::s2}) {
    std::set<Mark> expected;
    for (const Leak& leak : leaks_of(handshake_of(Order::today, behaviour).graph)) expected.insert(leak.mark);
    std::set<Mark> left;
    visit_meetings(behaviour, false, [&](const Meeting& m) {
      const handshake::Attempt attempt =
          handshake::handshake_today(m.decoder, {}, m.replies, m.expected_engine_id, m.remote_tp);
      if (!attempt.accepted()) left.merge(marks_between(Worker{}, attempt.worker));
    });
    EXPECT_EQ(left, expected);
  }
}

TEST(Walks, TheProposalLeavesNothing) {
  std::uint64_t refused = 0;
  std::uint64_t accepted = 0;
  visit_meetings(Behaviour::s2, true, [&](const Meeting& m) {
    const handshake::ProposedAttempt attempt =
        handshake::handshake_proposed(m.decoder, {}, m.replies, m.expected_engine_id, m.remote_tp);
    if (attempt.verdict.accepted()) {
      ++accepted;
      EXPECT_EQ(attempt.accepted.size(), 1u) << m.name;
    } else {
      ++refused;
      EXPECT_THAT(attempt.accepted, IsEmpty()) << m.name;
    }
  });
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(accepted, 100u);
}

TEST(Walks, MarksAreDifferences) {
  Worker before;
  Worker after;
  EXPECT_THAT(marks_between(before, after), IsEmpty());
  after.permute = true;
  after.remotes["p"].loaded_agents.insert(1);
  EXPECT_THAT(marks_between(before, after), testing::ElementsAre(Mark::loaded_agent, Mark::permute));
  EXPECT_THAT(marks_between(after, after), IsEmpty());
}

}  // namespace
}  // namespace pageproof::structure
