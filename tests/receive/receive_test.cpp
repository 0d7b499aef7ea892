#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/state.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "fuzz/receive/campaign.hpp"
#include "fuzz/receive/trace.hpp"
#include "model/receive/invariant.hpp"
#include "model/receive/search.hpp"
#include "oracle/proof/receive/engines.hpp"
#include "oracle/proof/receive/prove.hpp"

namespace pageproof {
namespace {

namespace rx = receive;
namespace sim = fuzz_receive;

std::vector<int> numbers_of(const rx::Life<int>& life) {
  std::vector<int> numbers;
  rx::visit_fields_of_life(life, [&](const char*, int number) { numbers.push_back(number); });
  return numbers;
}

// --- the model and the simulated world, step for step ----------------------------------------------------

struct Modelled {
  rx::Setting<int> given;
  rx::Life<int> life;

  bool take(rx::Step wanted) {
    bool taken = false;
    const rx::Life<int> before = life;
    rx::visit_steps(given, before, true,
                    [&](rx::Step step, bool place, const auto& guards, const auto& effect) {
                      if (step != wanted || !place) return;
                      for (const rx::Guarded<bool>& guard : guards) {
                        if (!guard.holds) return;
                      }
                      taken = true;
                      effect(life);
                    });
    return taken;
  }
};

using Command = rc::state::Command<Modelled, sim::World>;

struct TakeStep : Command {
  rx::Step step;
  explicit TakeStep(rx::Step taken) : step(taken) {}
  static bool has_ended(const Modelled& model) { return model.life.phase == rx::kEnded; }

  void checkPreconditions(const Modelled& model) const override {
    if (has_ended(model)) return;  // whatever comes then comes to nobody
    Modelled tried = model;
    RC_PRE(tried.take(step));
  }
  void apply(Modelled& model) const override {
    if (!has_ended(model)) model.take(step);
  }
  void run(const Modelled& model, sim::World& world) const override {
    if (has_ended(model)) return;
    sim::Record record{.request = 1, .slot = 0, .step = step};
    if (step == rx::Step::allocate) record.own = {0, 1, 2};
    RC_ASSERT(world.apply(record));
    RC_ASSERT(!world.violation());
    RC_ASSERT(numbers_of(world.request(0).life) == numbers_of(nextState(model).life));
    if (!world.request(0).live) return;
    const rx::Tie<int> tie{model.life.phase == rx::kFresh && step != rx::Step::allocate ? 0 : 1, 0,
                           world.request(0).holds ? 1 : 0};
    rx::visit_invariant(model.given, world.request(0).life, tie, [](bool fact) { RC_ASSERT(fact); });
  }
  void show(std::ostream& out) const override { out << rx::to_string(step); }
};

TEST(Receive, TheWorldIsTheModelStepForStep) {
  const bool holds = rc::check("the simulated worker's request is the model's, with real bytes", [] {
    sim::WorldOptions options{.side = *rc::gen::arbitrary<bool>(),
                              .deferred = *rc::gen::arbitrary<bool>(),
                              .slots = 1,
                              .blocks = 4};
    Modelled model{{options.side ? 1 : 0, options.deferred ? 1 : 0, 2}, {}};
    model.life.verdict = *rc::gen::inRange(0, 3);
    model.life.engine = *rc::gen::inRange(0, 4);
    model.life.reads = *rc::gen::inRange(1, 4);
    model.life.others = *rc::gen::inRange(0, 3);
    model.life.policy = *rc::gen::inRange(0, 2);
    model.life.steps = *rc::gen::inRange(0, 3);
    model.life.duplicate = *rc::gen::inRange(0, 2);
    sim::World world(options);
    sim::Record arrival{.request = 1, .slot = 0, .arrival = true};
    arrival.life = model.life;
    RC_ASSERT(world.apply(arrival));
    rc::state::check(model, world, [](const Modelled& now) {
      std::vector<rx::Step> open;
      for (int step = 0; step < rx::kSteps; ++step) {
        Modelled tried = now;
        if (tried.take(static_cast<rx::Step>(step))) open.push_back(static_cast<rx::Step>(step));
      }
      if (open.empty()) open.push_back(rx::Step::forward);
      return rc::gen::map(rc::gen::elementOf(open), [](rx::Step step) {
        return std::shared_ptr<const Command>(std::make_shared<TakeStep>(step));
      });
    });
  });
  EXPECT_TRUE(holds);
}

// --- the table -------------------------------------------------------------------------------------------

TEST(Receive, EveryGuardHasARowAndARuleThatBreaks) {
  EXPECT_EQ(rx::guard_table().size(), static_cast<std::size_t>(rx::kGuards - 1));
  std::set<rx::Guard> guards;
  std::set<std::string_view> names;
  for (const rx::GuardRow& row : rx::guard_table()) {
    guards.insert(row.guard);
    names.insert(rx::to_string(row.guard));
    EXPECT_EQ(rx::find_guard(rx::to_string(row.guard)), row.guard);
  }
  EXPECT_EQ(guards.size(), rx::guard_table().size());
  EXPECT_EQ(names.size(), rx::guard_table().size());
  EXPECT_FALSE(rx::find_guard("none"));
  std::set<std::string_view> steps;
  for (int step = 0; step < rx::kSteps; ++step) steps.insert(rx::to_string(static_cast<rx::Step>(step)));
  EXPECT_EQ(steps.size(), static_cast<std::size_t>(rx::kSteps));
}

TEST(Receive, AnAbortThatTellsNobodyNeverEnds) {
  const rx::Fault fault{rx::Guard::none, {rx::Step::tell_abort, rx::Step::lease_expires}};
  const rx::Searched searched = rx::search({}, fault, false, 40);
  ASSERT_TRUE(searched.found);
  EXPECT_EQ(searched.found->states.back().lives[0].prefill, rx::kHeld);
  EXPECT_FALSE(rx::exhaust().found);
}

// --- the proof can fail ----------------------------------------------------------------------------------

TEST(Receive, TheProverRefutesWhatIsFalse) {
  namespace prover = proof::receive_proof;
  const rx::Fault early{rx::Guard::notice_after_reads, {}};
  EXPECT_EQ(prover::spacer(rx::Rule::told_before_reads_end, early, 0, 4'000'000'000).answer,
            proof::Answer::sat);
  EXPECT_EQ(prover::spacer(rx::Rule::told_before_reads_end, {}, 0, 4'000'000'000).answer,
            proof::Answer::unsat);
  EXPECT_EQ(prover::spacer(rx::Rule::told_before_reads_end, {}, 0, 1000).answer, proof::Answer::unknown);
  const auto fails = [](const std::vector<prover::FactRow>& rows) {
    return std::ranges::any_of(rows, [](const auto& row) { return row.answer != proof::Answer::unsat; });
  };
  EXPECT_TRUE(fails(prover::rank_rows({rx::Guard::not_converted_before, {}}, 0)));
  EXPECT_TRUE(
      fails(prover::rank_rows({rx::Guard::none, {rx::Step::tell_abort, rx::Step::lease_expires}}, 0)));
  EXPECT_TRUE(fails(prover::block_rows({rx::Guard::block_is_free, {}}, 0)));
  EXPECT_FALSE(proof::prove_receive({"no_such_rule"}, {}));
}

// --- the simulation --------------------------------------------------------------------------------------

TEST(Receive, ARunIsItsSeed) {
  const sim::RoundOptions options{.world = {}, .seed = 11, .requests = 200};
  const sim::Round a = sim::run_round(options);
  const sim::Round b = sim::run_round(options);
  EXPECT_FALSE(a.violation);
  EXPECT_EQ(a.ended, 200U);
  EXPECT_EQ(sim::event_log(a.records, options.world), sim::event_log(b.records, options.world));
  for (int fault = 0; fault < sim::kFaults; ++fault) {
    const sim::RoundOptions long_run{.world = {.bytes = false}, .seed = 11, .requests = 5000};
    static const sim::Round many = sim::run_round(long_run);
    EXPECT_GT(many.faults[static_cast<std::size_t>(fault)], 0U)
        << sim::to_string(static_cast<sim::Fault>(fault));
  }
  const auto trace = nlohmann::json::parse(sim::chrome_trace(a.records, options.world));
  EXPECT_GT(trace.at("traceEvents").size(), 1000U);
}

// What the model calls broken, the bytes show, too.
TEST(Receive, WrongBytesAreSeenWithoutAnyRule) {
  using enum rx::Guard;
  for (const rx::Guard guard :
       {block_is_free, zero_has_run, prefill_still_holds, reads_have_ended, not_converted_before,
        own_blocks_only, every_layer_launched, event_completed}) {
    bool seen = false;
    for (std::uint64_t seed = 1; seed <= 40 && !seen; ++seed) {
      sim::RoundOptions options{.world = {}, .seed = seed, .requests = 300};
      options.world.without = guard;
      options.world.bytes_alone = true;
      const sim::Round round = sim::run_round(options);
      seen = round.violation && round.violation->name == "bytes";
    }
    EXPECT_TRUE(seen) << rx::to_string(guard);
  }
}

// Every step is taken in its order, and nothing of it reaches the pages.
TEST(Receive, AConversionOfACopyIsSeen) {
  sim::RoundOptions options{.world = {}, .seed = 1, .requests = 20, .faults = 0};
  EXPECT_FALSE(sim::run_round(options).violation);
  options.world.converts_a_copy = true;
  const sim::Round round = sim::run_round(options);
  ASSERT_TRUE(round.violation);
  EXPECT_EQ(round.violation->name, "bytes");
}

TEST(Receive, ReportsMergeAndRefuse) {
  sim::CampaignOptions options;
  options.round = {.world = {.bytes = false}, .seed = 5, .requests = 50};
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
  EXPECT_FALSE(sim::merged(*both, two, "two.json"));
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

}  // namespace
}  // namespace pageproof
