// The simulated world: every fault is a mechanism that is seen to work and to be covered, what a log shows of
// a guard that is left out, and reports that do not mix.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "fuzz/receive/campaign.hpp"
#include "fuzz/receive/shown.hpp"
#include "fuzz/receive/trace.hpp"
#include "model/receive/invariant.hpp"
#include "reports/receive/check.hpp"

namespace pageproof {
namespace {

namespace rx = receive;
namespace sim = fuzz_receive;
using testing::HasSubstr;

sim::RoundOptions round_of(std::uint64_t seed, std::uint64_t requests) {
  return {.world = {}, .seed = seed, .requests = requests};
}

TEST(Simulation, ARunIsItsSeed) {
  const sim::RoundOptions options = round_of(11, 200);
  const sim::Round a = sim::run_round(options);
  const sim::Round b = sim::run_round(options);
  EXPECT_FALSE(a.violation);
  EXPECT_EQ(a.ended, 200U);
  EXPECT_EQ(sim::event_log(a.records, options.world), sim::event_log(b.records, options.world));
  const auto trace = nlohmann::json::parse(sim::chrome_trace(a.records, options.world));
  EXPECT_GT(trace.at("traceEvents").size(), 1000U);
}

// What the proof shows to hold at every time holds in the world after every step.
TEST(Simulation, TheInvariantHoldsAfterEveryStep) {
  for (const bool side : {true, false}) {
    sim::RoundOptions options = round_of(9, 400);
    options.world.side = side;
    options.world.deferred = side;
    const sim::Round round = sim::run_round(options);
    const rx::Setting<int> given{side ? 1 : 0, side ? 1 : 0, 2};
    const sim::World* seen = nullptr;
    std::uint64_t looked = 0, broken = 0;
    sim::World world(options.world, [&](const sim::Happening& did) {
      if (did.what != sim::Happening::What::step || did.step == rx::Step::end) return;
      const sim::World::Request& request = seen->request(did.slot);
      const rx::Tie<int> tie{request.life.phase == rx::kFresh ? 0 : 1, 0, request.holds ? 1 : 0};
      rx::visit_invariant(given, request.life, seen->peer(request.peer).engine, tie,
                          [&](bool fact) { ++looked, broken += fact ? 0 : 1; });
    });
    seen = &world;
    for (const sim::Record& record : round.records) world.apply(record);
    EXPECT_GT(looked, 100'000U);
    EXPECT_EQ(broken, 0U);
  }
}

// In both places of the conversion and both orders of the runner nothing is broken, and everything that can
// come up does.
TEST(Simulation, EveryFaultAndSituationComesUp) {
  for (const bool side : {true, false}) {
    for (const bool deferred : {true, false}) {
      sim::CampaignOptions options{.round = round_of(3, 5000)};
      options.round.world.side = side;
      options.round.world.deferred = deferred;
      const sim::Campaign campaign = sim::run_campaign(options);
      EXPECT_TRUE(campaign.holds()) << sim::to_string(campaign);
      EXPECT_THAT(sim::never(campaign), testing::IsEmpty());
    }
  }
  // What does not come up is said.
  sim::CampaignOptions few{.round = round_of(3, 3)};
  EXPECT_THAT(sim::never(sim::run_campaign(few)), testing::Contains("peer_death"));
  EXPECT_THAT(sim::to_string(sim::run_campaign(few)), HasSubstr("NEVER     "));
  few.round.faults = 0;
  EXPECT_THAT(sim::never(sim::run_campaign(few)), testing::Not(testing::Contains("peer_death")));
}

// Without the faults none is counted.
TEST(Simulation, AFaultThatIsOffDoesNotHappen) {
  sim::RoundOptions options = round_of(5, 1000);
  options.faults = 0;
  const sim::Round round = sim::run_round(options);
  EXPECT_FALSE(round.violation);
  for (int fault = 0; fault < sim::kFaults; ++fault) {
    EXPECT_EQ(round.tally.of(static_cast<sim::Fault>(fault)), 0U)
        << sim::to_string(static_cast<sim::Fault>(fault));
  }
}

// Each fault alone: it happens, nothing breaks; without what covers it, what is named breaks.
TEST(Simulation, EveryFaultIsCovered) {
  std::set<sim::Fault> covered;
  for (const sim::Cover& cover : sim::cover_table()) {
    covered.insert(cover.fault);
    bool happened = false;
    bool caught = false;
    for (std::uint64_t seed = 1; seed <= 40 && !(happened && caught); ++seed) {
      sim::RoundOptions options = round_of(seed, 300);
      options.faults = sim::bit(cover.fault);
      const sim::Round right = sim::run_round(options);
      EXPECT_FALSE(right.violation) << sim::to_string(cover.fault) << " " << right.violation->name;
      EXPECT_EQ(right.stuck, 0U) << sim::to_string(cover.fault);
      happened = happened || right.tally.of(cover.fault) > 0;
      options.world.without = cover.guard;
      options.world.flaw = cover.flaw;
      options.world.bytes_alone = cover.breaks == "bytes";
      const sim::Round wrong = sim::run_round(options);
      caught = caught || (wrong.violation && wrong.violation->name == cover.breaks) ||
               (cover.breaks == "ends" && wrong.stuck == 1);
    }
    EXPECT_TRUE(happened) << sim::to_string(cover.fault);
    EXPECT_TRUE(caught) << sim::to_string(cover.fault) << " " << cover.breaks;
  }
  EXPECT_EQ(covered.size(), static_cast<std::size_t>(sim::kFaults));
}

TEST(Simulation, EveryGuardLeftOutIsCaught) {
  for (const rx::GuardRow& row : rx::guard_table()) {
    sim::RoundOptions options = round_of(3, 300);
    options.world.bytes = false;
    const sim::Caught caught = sim::catch_mutant(options, row.guard, 500);
    ASSERT_TRUE(caught.violation) << rx::to_string(row.guard);
    EXPECT_EQ(caught.violation->name, rx::to_string(row.breaks));
    EXPECT_LE(caught.trace.size(), 60U) << rx::to_string(row.guard);
  }
}

// The command that is printed names the round itself: the seed is its first round.
TEST(Simulation, ACaughtMutantRunsAgain) {
  sim::RoundOptions options = round_of(3, 300);
  options.world.bytes = false;
  const auto once = sim::catch_mutant(options, rx::Guard::free_after_conversion, 500);
  ASSERT_TRUE(once.violation);
  EXPECT_THAT(once.replay, HasSubstr(fmt::format(" --seed {} --requests 100 ", once.seed)));
  EXPECT_THAT(once.replay, HasSubstr("--mutant free_after_conversion "));
  EXPECT_THAT(once.replay, HasSubstr("--convert step"));  // where the guard matters
  options.seed = once.seed;
  options.requests = 100;
  const auto again = sim::catch_mutant(options, rx::Guard::free_after_conversion, 1);
  ASSERT_TRUE(again.violation);
  EXPECT_EQ(again.seed, once.seed);
  EXPECT_EQ(again.replay, once.replay);
  ASSERT_EQ(again.trace.size(), once.trace.size());
  for (std::size_t i = 0; i < once.trace.size(); ++i) {
    EXPECT_EQ(sim::to_string(again.trace[i]), sim::to_string(once.trace[i]));
  }
}

// What the model calls broken, the bytes show, too.
TEST(Simulation, WrongBytesAreSeenWithoutAnyRule) {
  using enum rx::Guard;
  for (const rx::Guard guard :
       {block_is_free,         prefix_is_published,  zero_has_run,         prefill_still_holds,
        reads_have_ended,      all_reads_posted,     no_read_failed,       pair_converts,
        not_converted_before,  own_blocks_only,      every_layer_launched, event_completed,
        as_landed_after_reads, as_landed_all_posted, as_landed_no_failure, as_landed_pair_matches,
        policy_after_report,   recompute_after_zero, free_after_report,    free_after_conversion,
        free_after_decode}) {
    bool seen = false;
    for (std::uint64_t seed = 1; seed <= 60 && !seen; ++seed) {
      sim::RoundOptions options = round_of(seed, 300);
      options.world.side = seed % 2 == 0;
      options.world.without = guard;
      options.world.bytes_alone = true;
      const sim::Round round = sim::run_round(options);
      seen = round.violation && round.violation->name == "bytes";
    }
    EXPECT_TRUE(seen) << rx::to_string(guard);
  }
}

// Every step is taken in its order, and nothing of it reaches the pages.
TEST(Simulation, AConversionOfACopyIsSeen) {
  sim::RoundOptions options = round_of(1, 20);
  options.faults = 0;
  EXPECT_FALSE(sim::run_round(options).violation);
  options.world.flaw = sim::Flaw::copy_converted;
  const sim::Round round = sim::run_round(options);
  ASSERT_TRUE(round.violation);
  EXPECT_EQ(round.violation->name, "bytes");
}

// --- what a log shows ------------------------------------------------------------------------------------

std::string rule_of_log(const sim::RoundOptions& options) {
  const sim::Round round = sim::run_round(options);
  const std::string log = sim::event_log(round.records, options.world);
  const receive_log::Checked checked = receive_log::check_log(log, "log");
  EXPECT_TRUE(checked.complete() || options.world.without != rx::Guard::none);
  return checked.broken ? checked.broken->rule : "";
}

// A wait stands in a log where what was waited for had happened, whichever guard is left out.
TEST(Simulation, NoWaitIsToldBeforeItsTime) {
  using What = sim::Happening::What;
  for (const rx::GuardRow& row : rx::guard_table()) {
    sim::RoundOptions options = round_of(7, 60);
    options.world.bytes = false;
    options.world.watches = false;
    options.world.side = row.shows != rx::Shows::step_path;
    options.world.without = row.guard;
    const sim::Round round = sim::run_round(options);
    const sim::World* seen = nullptr;
    std::map<std::uint32_t, int> steps;  // of a request: ended, and not yet told
    std::uint64_t waits = 0, early = 0;
    sim::World world(options.world, [&](const sim::Happening& did) {
      if (did.what == What::step && did.step == rx::Step::decode_retires) ++steps[did.request];
      const bool told = did.what == What::step_done;
      if (told && --steps[did.request] < 0) ++early;
      if (did.what != What::sync) return;
      ++waits;
      const sim::World::Request& request = seen->request(did.slot);
      const bool zero = std::string_view(did.name) == "zeroed";
      const bool done = zero ? request.life.zero == 0 : seen->device().completed(*request.converted);
      early += done ? 0 : 1;
    });
    seen = &world;
    for (const sim::Record& record : round.records) world.apply(record);
    EXPECT_GT(waits, 20U) << rx::to_string(row.guard);
    EXPECT_EQ(early, 0U) << rx::to_string(row.guard);
  }
}

// The world goes on without the guard, its log is judged: the rule of the table and no other, or nothing.
TEST(Simulation, ALogShowsTheGuardsThatTheTableSays) {
  std::set<rx::Guard> guards;
  for (const sim::Shown& shown : sim::shown_table()) {
    guards.insert(shown.guard);
    EXPECT_EQ(shown.visible(), shown.why.empty());
    std::uint64_t refuted = 0;
    for (std::uint64_t seed = 1; seed <= (shown.visible() ? 40U : 12U) && refuted == 0; ++seed) {
      sim::RoundOptions options = round_of(seed, 80);
      options.world.bytes = false;
      options.world.watches = false;
      options.world.side = seed % 2 == 0;
      options.world.without = shown.guard;
      const std::string rule = rule_of_log(options);
      if (rule.empty()) continue;
      ++refuted;
      EXPECT_TRUE(shown.names(rule)) << rx::to_string(shown.guard) << " seed " << seed << " " << rule;
    }
    EXPECT_EQ(refuted > 0, shown.visible()) << rx::to_string(shown.guard);
  }
  EXPECT_EQ(guards.size(), rx::guard_table().size());
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    sim::RoundOptions options = round_of(seed, 300);
    options.world.side = seed % 2 == 0;
    options.world.deferred = seed > 2;
    EXPECT_EQ(rule_of_log(options), "");
  }
}

// --- reports ---------------------------------------------------------------------------------------------

TEST(Simulation, ReportsMerge) {
  sim::CampaignOptions options{.round = round_of(5, 50)};
  options.round.world.bytes = false;
  options.shard = {1, 2};
  const sim::Campaign one = sim::run_campaign(options);
  options.shard = {2, 2};
  const sim::Campaign two = sim::run_campaign(options);
  const auto read = sim::campaign_from_json(sim::to_json(one), "one.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(sim::to_json(*read), sim::to_json(one));
  const auto both = sim::merged(one, two, "two.json");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->events, one.events + two.events);
  EXPECT_EQ(both->tally.situations, (sim::Tally(one.tally) += two.tally).situations);
  // Going on is the same as never having stopped.
  options.shard = {1, 2};
  options.before = one;
  const sim::Campaign longer = sim::run_campaign(options);
  EXPECT_EQ(longer.runs.front().rounds, 2U);
  options.before = {};
  options.round.seed = sim::seed_of_round(5, 2);
  EXPECT_EQ(longer.events, one.events + sim::run_campaign(options).events);
  auto broken = sim::to_json(one);
  broken["events"] = -1;
  EXPECT_FALSE(sim::campaign_from_json(broken, "broken.json"));
}

TEST(Simulation, RoundsThatBothRanAreRefused) {
  sim::Campaign a{.setting = sim::setting_of(round_of(5, 50))};
  sim::Campaign b = a;
  struct Two {
    sim::ShardRun one, other;
    const char* said;  // nothing: they merge
  };
  for (const Two& two : {Two{{5, {1, 2}, 3, 0, 0}, {5, {1, 2}, 1, 0, 0}, "round 0 of seed 5"},
                         Two{{5, {1, 2}, 3, 0, 0}, {5, {2, 2}, 9, 0, 0}, nullptr},
                         Two{{5, {1, 2}, 3, 0, 0}, {6, {1, 2}, 3, 0, 0}, nullptr},
                         Two{{5, {2, 2}, 3, 0, 0}, {5, {3, 3}, 2, 0, 0}, "round 5 of seed 5"},
                         Two{{5, {2, 2}, 3, 0, 0}, {5, {3, 3}, 1, 0, 0}, nullptr},
                         Two{{5, {3, 3}, 2, 0, 0}, {5, {1, 1}, 6, 0, 0}, "round 2 of seed 5"},
                         Two{{5, {1, 4}, 9, 0, 0}, {5, {2, 2}, 9, 0, 0}, nullptr},
                         Two{{5, {1, 1}, 0, 0, 0}, {5, {1, 1}, 1, 0, 0}, nullptr}}) {
    a.runs = {two.one};
    b.runs = {two.other};
    for (const auto& both : {sim::merged(a, b, "b.json"), sim::merged(b, a, "b.json")}) {
      EXPECT_EQ(both.has_value(), two.said == nullptr);
      if (both || two.said == nullptr) continue;
      EXPECT_THAT(to_string(both.error()), HasSubstr(two.said));
    }
  }
}

TEST(Simulation, OtherSettingsAreRefused) {
  sim::Campaign a{.setting = sim::setting_of(round_of(5, 50)), .runs = {{5, {1, 2}, 1, 0, 0}}};
  for (std::size_t i = 0; i < a.setting.size(); ++i) {
    sim::Campaign b = a;
    b.runs = {{6, {1, 2}, 1, 0, 0}};
    EXPECT_TRUE(sim::merged(a, b, "b.json"));
    b.setting[i].second = "other";
    const auto both = sim::merged(a, b, "b.json");
    ASSERT_FALSE(both);
    EXPECT_EQ(to_string(both.error()),
              "b.json: " + a.setting[i].first + ": other: not " + a.setting[i].second + ", as the others");
  }
  const std::set<std::string> names = [&] {
    std::set<std::string> all;
    for (const auto& [name, value] : a.setting) all.insert(name);
    return all;
  }();
  EXPECT_EQ(names, (std::set<std::string>{"requests", "layers", "convert", "order", "bytes", "faults",
                                          "mutant", "commit"}));
  sim::RoundOptions other = round_of(5, 50);
  other.faults = sim::bit(sim::Fault::abort) | sim::bit(sim::Fault::delay);
  EXPECT_EQ(sim::setting_of(other)[5].second, "delay,abort");
}

}  // namespace
}  // namespace pageproof
