#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/state.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "fuzz/receive/campaign.hpp"
#include "fuzz/receive/trace.hpp"
#include "model/receive/fields.hpp"
#include "model/receive/invariant.hpp"
#include "model/receive/search.hpp"
#include "oracle/proof/receive/engines.hpp"
#include "oracle/proof/receive/prove.hpp"
#include "reports/receive/check.hpp"

namespace pageproof {
namespace {

namespace rx = receive;
namespace sim = fuzz_receive;
using testing::HasSubstr;

std::vector<int> numbers_of(const rx::Life<int>& life) {
  std::vector<int> numbers;
  rx::visit_fields_of_life(life, [&](const char*, int number) { numbers.push_back(number); });
  return numbers;
}

// --- the model and the simulated world, step for step ----------------------------------------------------

struct Modelled {
  rx::Setting<int> given;
  rx::Life<int> life;
  rx::Engine<int> engine;

  bool take(rx::Step wanted) {
    bool taken = false;
    const rx::Life<int> before = life;
    const rx::Engine<int> engine_before = engine;
    const rx::Here<int> here{given, before, engine_before, {true, false}};
    rx::visit_steps(here, [&](rx::Step step, bool place, const auto& guards, const auto& effect) {
      if (step != wanted || !place) return;
      for (const rx::Guarded<bool>& guard : guards) {
        if (!guard.holds) return;
      }
      taken = true;
      effect(life, engine);
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
    rx::visit_invariant(model.given, world.request(0).life, world.engine_of(0), tie,
                        [](bool fact) { RC_ASSERT(fact); });
  }
  void show(std::ostream& out) const override { out << rx::to_string(step); }
};

TEST(Receive, TheWorldIsTheModelStepForStep) {
  const bool holds = rc::check("the simulated worker's request is the model's, with real bytes", [] {
    sim::WorldOptions options{.side = *rc::gen::arbitrary<bool>(),
                              .deferred = *rc::gen::arbitrary<bool>(),
                              .slots = 1,
                              .blocks = 4,
                              .engine_state = *rc::gen::inRange(0, 4)};
    sim::World world(options);
    Modelled model{{options.side ? 1 : 0, options.deferred ? 1 : 0, 2}, {}, world.engine_of(0)};
    model.life.verdict = *rc::gen::inRange(0, 3);
    model.life.prefill = *rc::gen::inRange(0, 3);
    model.life.reads = *rc::gen::inRange(1, 4);
    model.life.others = *rc::gen::inRange(0, 3);
    model.life.policy = *rc::gen::inRange(0, 2);
    model.life.steps = *rc::gen::inRange(0, 3);
    model.life.duplicate = *rc::gen::inRange(0, 2);
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
  const rx::EndingRow* row = rx::find_ending("abort_is_told");
  ASSERT_NE(row, nullptr);
  const rx::Fault fault{rx::Guard::none, {row->never.begin(), row->never.end()}};
  const rx::Searched searched = rx::search_dead_end(row->stuck, fault, 40);
  ASSERT_TRUE(searched.found);
  const rx::Life<int>& life = searched.found->states.back().lives[0];
  EXPECT_EQ(life.prefill, rx::kHeld);
  EXPECT_EQ(life.aborted, 1);
  EXPECT_EQ(life.phase, rx::kFreed);
}

// What is only a failure or an abort does not count as a way out.
TEST(Receive, AStuckRequestIsADeadEndThoughItCanBeAborted) {
  std::set<std::string_view> names;
  for (const rx::EndingRow& row : rx::ending_table()) {
    names.insert(row.name);
    EXPECT_EQ(rx::find_ending(row.name), &row);
    const rx::Fault fault{rx::Guard::none, {row.never.begin(), row.never.end()}};
    const rx::Searched searched = rx::search_dead_end(row.stuck, fault, 40);
    ASSERT_TRUE(searched.found) << row.name;
    const rx::System& stuck = searched.found->states.back();
    EXPECT_TRUE(rx::is_dead_end(stuck, fault)) << row.name;
    // With the steps back it is none: they are what is missing.
    EXPECT_FALSE(rx::is_dead_end(stuck, {})) << row.name;
  }
  EXPECT_EQ(names.size(), rx::ending_table().size());
  EXPECT_EQ(rx::find_ending("no_such_row"), nullptr);
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
  EXPECT_TRUE(fails(prover::fact_rows({rx::Guard::block_is_free, {}}, 0)));
  EXPECT_EQ(prover::progress_row({}, 0).answer, proof::Answer::unsat);
  // A lease alone is enough, neither is not.
  const std::vector<rx::Step> untold{rx::Step::tell_abort};
  EXPECT_EQ(prover::progress_row({rx::Guard::none, untold, true}, 0).answer, proof::Answer::unsat);
  EXPECT_EQ(prover::progress_row({rx::Guard::none, untold, false}, 0).answer, proof::Answer::sat);
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

TEST(Receive, EveryGuardLeftOutIsCaughtInTheSimulation) {
  for (const rx::GuardRow& row : rx::guard_table()) {
    const sim::RoundOptions round{.world = {.bytes = false}, .seed = 3};
    EXPECT_TRUE(sim::catch_mutant(round, row.guard, 500).violation) << rx::to_string(row.guard);
  }
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

// --- the checker of logs ---------------------------------------------------------------------------------

std::string judged(const std::string& text) {
  const receive_log::Checked checked = receive_log::check_log(text, "log");
  std::string said;
  for (const Error& error : checked.refused) said += "refused: " + to_string(error) + "\n";
  if (checked.truncated) said += "truncated\n";
  if (checked.broken) said += checked.broken->rule + ": " + checked.broken->missing;
  return said.empty() ? "holds" : said;
}

const std::vector<std::string> kGood{
    R"({"time":0,"event":"setting","layers":1,"blocks":8})",
    R"({"time":1,"event":"allocate","request":"7","blocks":[3]})",
    R"({"time":1,"event":"zero","request":"7","blocks":[3],"stream":"main"})",
    R"({"time":1,"event":"sync","stream":"main"})",
    R"({"time":2,"event":"post","request":"7","handle":0,"blocks":[3]})",
    R"({"time":3,"event":"read_done","request":"7","handle":0})",
    R"({"time":3,"event":"notify","request":"7"})",
    R"({"time":4,"event":"convert","request":"7","blocks":[3],"layer":0,"stream":"side"})",
    R"({"time":5,"event":"record","name":"done","stream":"side"})",
    R"({"time":5,"event":"wait","name":"done","stream":"main"})",
    R"({"time":6,"event":"report","request":"7","ok":true})",
    R"({"time":7,"event":"schedule","request":"7","stream":"main"})",
    R"({"time":8,"event":"step_done","request":"7"})",
    R"({"time":9,"event":"free","request":"7"})",
};
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}
std::string without_line(std::size_t line) {
  std::vector<std::string> lines = kGood;
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(line));
  return joined(lines);
}
std::string with_line(std::size_t at, const std::string& line) {
  std::vector<std::string> lines = kGood;
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), line);
  return joined(lines);
}

TEST(ReceiveLog, ARuleEachAndTheEdge) {
  EXPECT_EQ(judged(joined(kGood)), "holds");
  EXPECT_THAT(judged(without_line(3)), HasSubstr("zeroed_after_landing: line 3 (zero) before line 4 (post)"));
  EXPECT_THAT(judged(without_line(7)), HasSubstr("unconverted_scheduled"));
  EXPECT_THAT(judged(without_line(9)), HasSubstr("unconverted_decoded: line 8 (convert) before line 11"));
  EXPECT_THAT(judged(without_line(12)), HasSubstr("freed_while_touched"));
  EXPECT_THAT(judged(with_line(8, kGood[7])), HasSubstr("converted_twice"));
  EXPECT_THAT(judged(with_line(7, kGood[6])), HasSubstr("told_twice"));
  const auto earlier = [](std::string line) {
    line.replace(line.find("\"time\":") + 7, 1, "2");
    return line;
  };
  EXPECT_THAT(judged(with_line(5, earlier(kGood[6]))), HasSubstr("told_before_reads_end"));
  EXPECT_THAT(judged(with_line(5, earlier(kGood[7]))), HasSubstr("converted_while_read"));
  EXPECT_THAT(judged(with_line(5, R"({"time":2,"event":"report","request":"7","ok":false})")),
              HasSubstr("failure_before_reads_end"));
  EXPECT_THAT(judged(with_line(5, R"({"time":2,"event":"free","request":"7"})")),
              HasSubstr("freed_while_touched"));
  EXPECT_THAT(judged(with_line(2, R"({"time":1,"event":"allocate","request":"8","blocks":[3]})")),
              HasSubstr("reused_while_held"));
  std::string fenced = joined(kGood);
  fenced.replace(fenced.find("\"blocks\":8"), 10, "\"blocks\":8,\"fence_needed\":true");
  EXPECT_THAT(judged(fenced), HasSubstr("read_not_fenced: line 6 (read_done) before line 8 (convert)"));
  fenced.insert(fenced.find(kGood[7]), "{\"time\":3,\"event\":\"fence\"}\n");
  EXPECT_EQ(judged(fenced), "holds");
}

// What was reported of other engines and can be said in a log.
TEST(ReceiveLog, ReportsOfOtherEngines) {
  // A window slides past block 3 while the step in flight, or a later one, still reads it.
  const auto windowed = [](const std::vector<std::string>& tail) {
    std::vector<std::string> lines = kGood;
    lines.resize(11);
    lines.insert(lines.end(), tail.begin(), tail.end());
    return judged(joined(lines));
  };
  const std::string step = R"({"time":7,"event":"schedule","request":"7","stream":"main","blocks":[3]})";
  const std::string late_step = R"({"time":9,"event":"schedule","request":"7","stream":"main","blocks":[3]})";
  const std::string gone = R"({"time":8,"event":"free","request":"7","blocks":[3]})";
  const std::string sync = R"({"time":7,"event":"sync","name":"done"})";
  EXPECT_EQ(windowed({step, kGood[12], gone, kGood[13]}), "holds");
  EXPECT_THAT(windowed({sync, step, gone}), HasSubstr("freed_while_touched: line 13 before line 14 (free)"));
  EXPECT_THAT(windowed({gone}), HasSubstr("freed_while_touched: line 8 before line 12 (free)"));
  EXPECT_THAT(windowed({step, kGood[12], gone, late_step}), HasSubstr("freed_while_touched"));
  // A copy for partial reuse that runs, or may run, after the bytes have landed.
  const std::string copy = R"({"time":1,"event":"copy","request":"7","blocks":[3],"stream":"copy"})";
  EXPECT_THAT(judged(with_line(3, copy)),
              HasSubstr("zeroed_after_landing: line 4 (copy) before line 6 (post)"));
  EXPECT_EQ(judged(with_line(3, copy + "\n" + R"({"time":1,"event":"sync","stream":"copy"})")), "holds");
  const std::string late = R"({"time":3,"event":"copy","request":"7","blocks":[3],"stream":"main"})";
  EXPECT_THAT(judged(with_line(6, late)), HasSubstr("zeroed_after_landing"));
  // Two groups of layers with blocks of their own, one converted.
  std::string hybrid = joined(kGood);
  hybrid.replace(hybrid.find("\"blocks\":[3]"), 12, "\"blocks\":[3,4]");
  EXPECT_THAT(judged(hybrid), HasSubstr("unconverted_scheduled"));
  // A digest over the conversion, or beside it.
  const auto digest = [](const char* stream) {
    return std::string(R"({"time":3,"event":"digest","request":"7","blocks":[3],"stream":")") + stream +
           "\"}";
  };
  EXPECT_EQ(judged(with_line(7, digest("side"))), "holds");
  EXPECT_THAT(judged(with_line(7, digest("main"))),
              HasSubstr("digest_of_converted: line 8 (digest) before line 9"));
  std::string behind = digest("side");
  behind.replace(behind.find("\"time\":3"), 8, "\"time\":4");
  EXPECT_THAT(judged(with_line(8, behind)), HasSubstr("digest_of_converted"));
}

TEST(ReceiveLog, BadInputIsOneLine) {
  EXPECT_THAT(judged(with_line(1, R"({"time":0,"event":"pots","request":"7"})")),
              HasSubstr("refused: log: line 2: event: pots"));
  EXPECT_THAT(judged(with_line(13, R"({"time":1,"event":"free","request":"7"})")),
              HasSubstr("time goes backwards"));
  EXPECT_THAT(judged(with_line(2, R"({"time":1,"event":"free","request":"9"})")),
              HasSubstr("never allocated"));
  EXPECT_THAT(judged(with_line(2, R"({"time":1,"event":"post","request":"7","handle":0,"blocks":[4]})")),
              HasSubstr("never allocated"));
  EXPECT_THAT(judged(with_line(2, R"({"time":1,"event":"post","request":"7","handle":0,"blocks":[9]})")),
              HasSubstr("beyond the pool"));
  EXPECT_THAT(judged(with_line(2, R"({"time":1,"event":"wait","name":"x","stream":"main"})")),
              HasSubstr("no event of this name"));
  EXPECT_THAT(judged(without_line(0)), HasSubstr("setting"));
  EXPECT_EQ(judged(joined(kGood) + R"({"time":10,"ev)"), "truncated\n");
  EXPECT_EQ(judged(joined(kGood) + "12"), "truncated\n");
  EXPECT_THAT(judged(joined(kGood) + "{\"time\":10,\"ev\n"), HasSubstr("refused"));
}

// Each line that cannot be used is named, and what it is not about is judged as ever.
TEST(ReceiveLog, TheRestIsCheckedBehindABadLine) {
  const auto judge = [](const std::string& text) { return receive_log::check_log(text, "log"); };
  // Another request's lines: neither they nor those of its blocks change the verdict over request 7.
  std::vector<std::string> lines = kGood;
  lines.insert(lines.begin() + 2, {R"({"time":1,"event":"allocate","request":"8","blocks":[4]})",
                                   R"({"time":1,"event":"pots","request":"8","handle":0,"blocks":[4]})",
                                   R"({"time":1,"event":"read_done","request":"8","handle":0})",
                                   R"({"time":1,"event":"schedule","request":"8","stream":"main"})"});
  const receive_log::Checked one = judge(joined(lines));
  EXPECT_EQ(one.refused_lines, 1U);  // what follows from it is not refused again
  EXPECT_EQ(one.doubted, 1U);
  EXPECT_FALSE(one.broken);
  EXPECT_EQ(one.steps, 1U);
  lines.erase(lines.begin() + 13);  // the wait of request 7
  const receive_log::Checked broken = judge(joined(lines));
  ASSERT_TRUE(broken.broken);
  EXPECT_EQ(broken.broken->rule, "unconverted_decoded");
  EXPECT_EQ(broken.broken->unread, 4U);
  // Its blocks may be given to others.
  lines = kGood;
  lines[2] = R"({"time":1,"event":"zero","request":"7","blocks":[3]})";
  lines.push_back(R"({"time":9,"event":"allocate","request":"9","blocks":[3]})");
  EXPECT_FALSE(judge(joined(lines)).broken);
  // An id that was never allocated is named once, a clock that was set back once.
  lines = kGood;
  for (int i = 0; i < 3; ++i) lines.push_back(R"({"time":5,"event":"notify","request":"11"})");
  const receive_log::Checked twice = judge(joined(lines));
  EXPECT_EQ(twice.refused_lines, 1U);
  EXPECT_THAT(to_string(twice.refused.front()), HasSubstr("line 15: request: 11: was never allocated"));
  EXPECT_THAT(judged(with_line(13, R"({"time":1,"event":"fence"})") + joined({kGood[1]})),
              HasSubstr("line 14: time: 1: before 8, time goes backwards"));
  // A line of which nothing is known may be about anybody.
  EXPECT_EQ(judge(without_line(1) + "[]\n").refused_lines, 2U);
  lines = kGood;
  lines[1] = "allocate 7";
  const receive_log::Checked unknown = judge(joined(lines));
  EXPECT_EQ(unknown.refused_lines, 1U);
  EXPECT_EQ(unknown.doubted, 1U);
  EXPECT_FALSE(unknown.broken);
  // Any number of them takes room for the first only.
  std::string noise = kGood[0] + "\n";
  for (int i = 0; i < 1000; ++i) noise += "{}\n";
  EXPECT_EQ(judge(noise).refused_lines, 1000U);
  EXPECT_EQ(judge(noise).refused.size(), receive_log::kShownRefusals);
}

// A block converted at the start and used to the end: each step looks at what is new alone.
TEST(ReceiveLog, ALongLogTakesTimeForItsLines) {
  std::string text = joined({kGood.begin(), kGood.begin() + 11});
  text += R"({"time":6,"event":"sync","name":"done"})"
          "\n";
  for (int i = 0; i < 100'000; ++i) {
    text += R"({"time":9,"event":"schedule","request":"7","stream":"s)" + std::to_string(i % 3) + "\"}\n";
    text += R"({"time":9,"event":"step_done","request":"7"})"
            "\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(judged(text + kGood[13] + "\n"), "holds");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// A guard that is left out shows in the log as well, wherever a log can show it: not in each, for the
// simulation waits for a whole stream of zeroing kernels at once, and a post behind a free cannot be used.
TEST(ReceiveLog, LogsOfMutantsAreRefuted) {
  using enum rx::Guard;
  for (const rx::Guard guard :
       {block_is_free, zero_has_run, notice_after_reads, reads_have_ended, no_read_failed, pair_converts,
        not_converted_before, failure_after_reads, free_after_report, free_after_decode}) {
    bool seen = false;
    for (std::uint64_t seed = 1; seed <= 20 && !seen; ++seed) {
      sim::RoundOptions round{.world = {.bytes = false}, .seed = seed};
      const sim::Caught caught = sim::catch_mutant(round, guard, 500);
      ASSERT_TRUE(caught.violation) << rx::to_string(guard);
      round.seed = caught.seed;
      round.requests = 300;
      round.world.without = guard;
      round.world.only = rx::row_of(guard).breaks;
      const sim::Round again = sim::run_round(round);
      const std::string said = judged(sim::event_log(again.records, round.world));
      seen = said.find(caught.violation->name) != std::string::npos;
    }
    EXPECT_TRUE(seen) << rx::to_string(guard);
  }
}

}  // namespace
}  // namespace pageproof
