// Fitted models, the plan of runs and the predictions: laws, round trips, what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "reports/decision/least_squares.hpp"
#include "reports/decision/plan_judge.hpp"
#include "reports/decision/plan_report.hpp"
#include "reports/decision/predictions.hpp"
#include "reports/decision/sensitivity.hpp"
#include "reports/decision/validation.hpp"
#include "reports/gonogo/inputs.hpp"

namespace pageproof::decision {
namespace {

TEST(LeastSquares, finds_what_made_the_values) {
  LeastSquares problem;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> any(0, 5);
  const std::vector<double> truth = {2, 0, 3.5, 0.25};
  for (int i = 0; i < 30; ++i) {
    std::vector<double> row;
    double value = 0;
    for (const double x : truth) {
      row.push_back(any(random));
      value += x * row.back();
    }
    problem.rows.push_back(row);
    problem.values.push_back(value);
  }
  const std::vector<double> found = non_negative_solution(problem);
  for (std::size_t j = 0; j < truth.size(); ++j) EXPECT_NEAR(found[j], truth[j], 1e-5);
}
// y = 1 - x would need a negative slope: the best that is not negative is flat.
TEST(LeastSquares, has_no_negative_coefficient) {
  LeastSquares problem{.rows = {{1, 0}, {1, 1}, {1, 2}}, .values = {1, 0, -0.5}};
  const std::vector<double> found = non_negative_solution(problem);
  EXPECT_NEAR(found[0], 0.5 / 3, 1e-6);
  EXPECT_EQ(found[1], 0);
}
// No small step from the solution lowers the squares.
TEST(LeastSquares, is_the_minimum) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> any;
  for (int round = 0; round < 50; ++round) {
    LeastSquares problem;
    for (int i = 0; i < 12; ++i) {
      problem.rows.push_back({any(random), any(random), any(random)});
      problem.values.push_back(any(random));
    }
    const auto squares = [&](const std::vector<double>& x) {
      double sum = 0;
      for (std::size_t i = 0; i < problem.rows.size(); ++i) {
        double value = -problem.values[i];
        for (std::size_t j = 0; j < 3; ++j) value += problem.rows[i][j] * x[j];
        sum += value * value;
      }
      return sum;
    };
    const std::vector<double> found = non_negative_solution(problem);
    for (std::size_t j = 0; j < 3; ++j) {
      for (const double step : {-1e-3, 1e-3}) {
        std::vector<double> moved = found;
        moved[j] = std::max(0.0, moved[j] + step);
        EXPECT_GE(squares(moved), squares(found) - 1e-9);
      }
    }
  }
}

// Cells that a known model makes.
std::vector<MeasuredCell> made_by(const StepModel& truth, std::vector<double> outputs) {
  std::vector<MeasuredCell> cells;
  for (const double input : {1024.0, 2048.0, 4096.0, 8192.0, 16384.0}) {
    for (const double output : outputs) {
      for (const double load : {4.0, 8.0, 16.0, 32.0, 64.0}) {
        MeasuredCell cell{.setup = truth.setup,
                          .model = "m",
                          .input_tokens = input,
                          .output_tokens = output,
                          .load = load,
                          .runs = 1};
        const PredictedCell made = predict(truth, cell);
        cell.tpot_ms = made.tpot_ms;
        cell.ttft_ms = made.ttft_ms;
        cell.output_throughput = made.output_throughput;
        cells.push_back(cell);
      }
    }
  }
  return cells;
}

StepModel known(bool elsewhere) {
  StepModel truth;
  truth.setup = "a1";
  truth.prefills_elsewhere = elsewhere;
  truth.base_ms = 6;
  truth.per_request_ms = 0.05;
  truth.per_kv_token_ms = 2e-5;
  truth.join_per_token_ms = elsewhere ? 2e-4 : 0.05;
  truth.first_token_ms = 40;
  truth.prefill_per_token_ms = elsewhere ? 0.02 : 0;
  truth.kv_tokens = 300'000;
  truth.queue_share = 0.1;
  return truth;
}

TEST(StepFit, predicts_cells_of_the_model_that_made_the_others) {
  for (const bool elsewhere : {false, true}) {
    const auto cells = made_by(known(elsewhere), {128, 1024});
    const Halves halves = split_cells(cells, SplitRule::chessboard, false);
    const auto models = fit_setups(halves.fitted, elsewhere);
    ASSERT_TRUE(models.has_value());
    const Validation found = validate(*models, cells);
    EXPECT_LT(found.held_out.mape, 0.02) << elsewhere;
    EXPECT_EQ(found.held_out.grade, "excellent");
    EXPECT_NEAR(models->front().kv_tokens, 300'000, 30'000);
    EXPECT_NEAR(models->front().base_ms, 6, 0.6);
  }
}
TEST(StepFit, says_what_it_cannot_tell_apart) {
  const auto one = fit_steps(made_by(known(false), {128}), false);
  ASSERT_EQ(one->remarks.size(), 1u);
  EXPECT_NE(one->remarks[0].find("128 output tokens"), std::string::npos);
  EXPECT_TRUE(fit_steps(made_by(known(false), {128, 512}), false)->remarks.empty());
}
TEST(StepFit, a_step_table_is_fitted_exactly_and_written_back) {
  std::vector<MeasuredCell> rows;
  for (const double batch : {1, 8, 64}) {
    for (const double context : {1024, 8192}) {
      rows.push_back({.setup = "b",
                      .model = "",
                      .input_tokens = context,
                      .load = batch,
                      .tpot_ms = 4 + 0.1 * batch + 1e-5 * batch * context,
                      .runs = 1});
    }
  }
  const auto models = fit_setups(rows, false);
  EXPECT_LT(validate(*models, rows).fitted.worst, 1e-5);
  const auto table = serving::step_table_from_csv(step_table_csv(*models), "made");
  ASSERT_TRUE(table.has_value());
  const auto time = serving::StepTime::measured(*table, "b", serving::Outside::refused, 128);
  ASSERT_TRUE(time.has_value());
  EXPECT_NEAR(1e3 * time->seconds(64, 64 * 8192.0), 4 + 6.4 + 1e-5 * 64 * 8192, 1e-4);
}
TEST(StepFit, a_model_survives_its_file) {
  const StepModel truth = *fit_steps(made_by(known(false), {128, 512}), false);
  const auto back = models_from_json(models_json({truth}).dump(), "m.json");
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->front().fitted_on, truth.fitted_on);
  EXPECT_EQ(back->front().base_ms, truth.base_ms);
  EXPECT_EQ(back->front().kv_tokens, truth.kv_tokens);
}
TEST(StepFit, refuses_what_is_no_model) {
  const auto refused = [](const std::string& text) {
    return to_string(models_from_json(text, "m.json").error());
  };
  EXPECT_EQ(refused("{}").find("m.json: $.kind"), 0u);
  EXPECT_EQ(refused("[").find("m.json"), 0u);
  StepModel one = known(false);
  one.fitted_on = {"a cell"};
  nlohmann::ordered_json json = models_json({one});
  json["models"][0]["base_ms"] = -1;
  EXPECT_EQ(refused(json.dump()), "m.json: $.models[0].base_ms: -1: negative");
  json["models"][0].erase("base_ms");
  EXPECT_EQ(refused(json.dump()), "m.json: $.models[0].base_ms: missing");
  const auto changed = [&](const char* key, const nlohmann::json& value) {
    StepModel model = known(false);
    model.fitted_on = {"a cell"};
    nlohmann::ordered_json odd = models_json({model});
    EXPECT_TRUE(models_from_json(odd.dump(), "m.json").has_value());
    odd["models"][0][key] = value;
    return refused(odd.dump());
  };
  EXPECT_NE(changed("base_ms", 1e300).find("$.models[0].base_ms: 1e+300: above 1e+12"), std::string::npos);
  EXPECT_NE(changed("base_mss", 1).find("$.models[0].base_mss"), std::string::npos);
  EXPECT_EQ(changed("fitted_on", nlohmann::json::array()),
            "m.json: $.models[0].fitted_on: []: fitted on no cell");
  EXPECT_NE(to_string(fit_steps({}, false).error()).find("too few"), std::string::npos);
}
TEST(Splits, halve_the_cells_by_their_rule) {
  const auto cells = made_by(known(false), {128});
  for (const SplitRule rule : {SplitRule::chessboard, SplitRule::contexts, SplitRule::loads}) {
    const Halves one = split_cells(cells, rule, false), other = split_cells(cells, rule, true);
    EXPECT_EQ(one.fitted.size() + one.held_out.size(), cells.size());
    EXPECT_EQ(one.fitted.size(), other.held_out.size());
    EXPECT_GE(one.fitted.size(), 13u);
  }
  for (const MeasuredCell& cell : split_cells(cells, SplitRule::contexts, false).held_out)
    EXPECT_GE(cell.input_tokens, 8192);
  EXPECT_TRUE(split_cells(cells, SplitRule::none, true).held_out.empty());
  EXPECT_EQ(to_string(split_rule_named("odd").error()),
            "--split: odd: not none, chessboard, contexts or loads");
}
TEST(Validation, grades_and_signs) {
  EXPECT_EQ(grade_of(0.099, 0.96), "excellent");
  EXPECT_EQ(grade_of(0.099, 0.94), "good");
  EXPECT_EQ(grade_of(0.30, 0.99), "fair");
  EXPECT_EQ(grade_of(0.36, 0.99), "poor");
  StepModel slow = known(false);
  const auto cells = made_by(known(false), {128});
  slow.base_ms *= 2;
  EXPECT_GT(validate({slow}, cells).held_out.bias, 0);
  EXPECT_EQ(validate({slow}, cells).held_out.same_sign, 1.0);
}

// The measured grid that another tool wrote: half of it predicts the other half.
TEST(DecodeGrid, half_of_it_predicts_the_other) {
  const std::filesystem::path grid = std::filesystem::path(PAGEPROOF_SHARED) / "results/decode_grid";
  if (!std::filesystem::exists(grid)) GTEST_SKIP() << grid << " is not here";
  const Measured measured = read_measured({grid.string()});
  EXPECT_TRUE(measured.refused.empty());
  ASSERT_EQ(measured.cells.size(), 52u);
  for (const bool swapped : {false, true}) {
    const Halves halves = split_cells(measured.cells, SplitRule::chessboard, swapped);
    const Validation found = validate(*fit_setups(halves.fitted, false), measured.cells);
    EXPECT_EQ(found.held_out.cells, 26u);
    EXPECT_LT(found.held_out.mape, 0.06);
    EXPECT_EQ(found.held_out.grade, "excellent");
  }
}

PlanOptions quick_plan() {
  PlanOptions options;
  options.seeds = 6;
  options.prompts = 3;
  options.trials = 60;
  return options;
}
std::vector<PlanPoint> few_points() {
  return {{"qwen3-8b", "hit", 48, 4096, 128},
          {"qwen3-8b", "hit", 64, 4096, 128},
          {"qwen3-8b", "cold", 128, 32768, 128},
          {"qwen3-8b", "cold", 48, 32768, 128},
          {"qwen3-8b", "hit", 48, 8192, 512}};
}

// Below the asm threshold a2 reads as FA does: as simulate's preset, for the same figures.
TEST(RunPlan, has_the_setups_of_simulate) {
  for (const char* name : kPlannedSetups) {
    const serving::Setup planned = setup_of({}, name), preset = *serving::setup_preset(name);
    EXPECT_EQ(planned.kernel.bytes_per_second, preset.kernel.bytes_per_second) << name;
    EXPECT_NEAR(planned.kernel.asm_bytes_per_second, preset.kernel.asm_bytes_per_second, 1) << name;
    EXPECT_EQ(planned.descriptors, preset.descriptors) << name;
    EXPECT_EQ(planned.extension_factor, preset.extension_factor) << name;
    EXPECT_NEAR(serving::conversion_seconds(planned.converter, 1e9, 36),
                serving::conversion_seconds(preset.converter, 1e9, 36), 1e-12)
        << name;
  }
}
TEST(RunPlan, slots_and_unified_prefill_change_the_setups_they_name) {
  PlanOptions options;
  options.assume.unshuffled_regions = 2;
  options.assume.unified_prefill = 0.9;
  for (const char* name : kPlannedSetups) {
    const serving::Setup setup = setup_of(options, name);
    const std::string is = name;
    EXPECT_EQ(setup.descriptors == serving::Descriptors::slots, is == "a1" || is == "a2") << name;
    EXPECT_EQ(setup.prefill_factor, is == "a2" || is == "d" ? 0.9 : 1) << name;
  }
  options = quick_plan();
  const std::vector<PlanPoint> point = {{"qwen3-8b", "cold", 48, 4096, 512}};
  const double like_fa = plan_runs(options, point)->points[0].rules[3].gain;  // rule B of (d)
  options.assume.unified_prefill = 0.9;
  EXPECT_GT(plan_runs(options, point)->points[0].rules[3].gain, like_fa + 0.05);
  options.assume.unified_prefill = 1;
  const double whole = plan_runs(options, point)->points[0].rules[0].ttft;
  options.assume.unshuffled_regions = 2;
  EXPECT_GT(plan_runs(options, point)->points[0].rules[0].ttft, whole + 0.01);
}
TEST(RunPlan, is_the_RFCs) {
  const auto points = rfc_points();
  EXPECT_EQ(points.size() * kSetups, 720u);
  std::set<std::string> names;
  for (const PlanPoint& point : points) names.insert(point.name());
  EXPECT_EQ(names.size(), 144u);
}
TEST(RunPlan, sees_what_does_not_fit_and_what_no_prefill_feeds) {
  const PlanForecast plan = *plan_runs(quick_plan(), few_points());
  EXPECT_EQ(plan.points[2].state, PointState::infeasible);
  EXPECT_NE(plan.points[2].reason.find("181 %"), std::string::npos);
  EXPECT_EQ(plan.points[3].state, PointState::unreachable);
  EXPECT_EQ(plan.points[3].prefill_gpus, 16u);
  EXPECT_TRUE(plan.points[0].simulated());
  EXPECT_NEAR(plan.points[0].setups[0].batch, 48, 2);
}
// At 128 output tokens the torch converter breaks the guard: no noise hides it.
TEST(RunPlan, short_outputs_count_against_the_converter) {
  const PlanForecast plan = *plan_runs(quick_plan(), few_points());
  EXPECT_EQ(plan.points[0].state, PointState::decisive);
  EXPECT_GE(plan.points[0].rules[1].against, 0.8);
  EXPECT_GT(plan.points[0].rules[1].guard, 0.02);
}
// A converter that costs nothing, descriptors that cost nothing, a kernel that saves half: rule A passes.
TEST(RunPlan, a_large_gain_passes_rule_a) {
  PlanOptions options = quick_plan();
  options.assume.traffic = 0.001;
  options.assume.launch_floor_seconds = 0;
  options.assume.descriptor_seconds = 0;
  options.assume.kernel_gain = 0.5;
  options.assume.gain_over_unified = 0.45;
  options.assume.run_cv = 0.002;
  const PlanForecast plan = *plan_runs(options, {{"qwen3-8b", "hit", 64, 16384, 512}});
  EXPECT_GE(plan.points[0].rules[0].passes, 0.8);
  EXPECT_GT(plan.points[0].rules[0].gain, 0.2);
}
TEST(RunPlan, shards_put_together_are_the_whole) {
  PlanOptions options = quick_plan();
  options.prefill_gpus = 2;
  options.repeats = 2;
  options.seeds = 4;
  options.prompts = 1;
  options.trials = 20;
  const PlanForecast whole = *plan_runs(options, rfc_points());
  std::vector<PlanForecast> shards;
  for (const std::uint64_t shard : {1, 2, 3}) {
    PlanOptions part = options;
    part.shard = shard;
    part.shards = 3;
    const PlanForecast made = *plan_runs(part, rfc_points());
    shards.push_back(*plan_from_json(plan_json(made).dump(), "shard"));
  }
  const PlanForecast together = *merged(shards, {"1", "2", "3"});
  EXPECT_EQ(plan_json(together), plan_json(whole));
  EXPECT_FALSE(merged({shards[0], shards[1]}, {"1", "2"}).has_value());
  EXPECT_NE(to_string(merged({shards[0], shards[0]}, {"1", "2"}).error()).find("another shard"),
            std::string::npos);
  shards[1].options.tp = 1;
  EXPECT_NE(to_string(merged(shards, {"1", "2", "3"}).error()).find("not those of 1"), std::string::npos);
  EXPECT_FALSE(plan_from_json("{}", "x").has_value());
  // A file that somebody changed: each is refused with the point.
  const nlohmann::json sound = nlohmann::json::parse(plan_json(whole).dump());
  std::size_t judged = 0, full = 0;
  while (sound["points"][judged]["rules"].empty()) ++judged;
  while (sound["points"][full]["state"] != "infeasible") ++full;
  const std::string at = "/points/" + std::to_string(judged);
  for (const auto& [pointer, value] : std::vector<std::pair<std::string, nlohmann::json>>{
           {at + "/state", "infeasible"},
           {at + "/rules/0/passes", 1.5},
           {at + "/rules/1/rule", "A"},
           {at + "/setups/0/run_seconds", -1},
           {at + "/setups/2/setup", "c"},
           {at + "/prefill_gpus", 4},
           {at + "/capacity_share", 0.01},
           {at + "/batch", -48},
           {"/points/" + std::to_string(full) + "/state", "decisive"},
           {"/options/seeds", 1},
           {"/shard", 2}}) {
    nlohmann::json changed = sound;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    const auto read = plan_from_json(changed.dump(), "x.json");
    ASSERT_FALSE(read.has_value()) << pointer;
    EXPECT_EQ(to_string(read.error()).find("x.json: $.points"), 0u) << to_string(read.error());
  }
  EXPECT_FALSE(plan_from_json(R"({"command":"plan-runs","options":{}})", "x").has_value());
}
TEST(RunPlan, the_smallest_set_settles_all_that_can_be_settled) {
  const PlanForecast plan = *plan_runs(quick_plan(), few_points());
  const SmallestSet set = smallest_set(plan);
  EXPECT_LE(set.runs, counts_of(plan).decisive * 3);
  EXPECT_GT(set.runs, 0u);
  // Every rule that is decisive somewhere is shown, with all setups that it compares, at a chosen load.
  for (const PartOfQuestion& part : set.settled) {
    const std::string wanted = std::string(1, part.rule) + "(" + part.setup + ")";
    const bool shown = std::ranges::any_of(set.loads, [&](const ChosenLoad& load) {
      return load.point.output == part.output &&
             std::ranges::any_of(load.settles,
                                 [&](const std::string& one) { return one.starts_with(wanted); });
    });
    EXPECT_TRUE(shown) << part.name();
  }
}
// One load shows rule A, another both rules: the second alone does, with (c) run once. Of two loads that show
// the same, the shorter runs.
TEST(SmallestSet, shares_runs_between_rules_and_takes_the_cheaper_load) {
  PlanForecast plan{.options = {}, .points = {}};
  const auto add = [&](std::uint32_t batch, double against_a, double against_b, double seconds) {
    PointForecast point{.point = {"qwen3-8b", "cold", batch, 4096, 128},
                        .state = PointState::decisive,
                        .reason = {},
                        .setups = {},
                        .rules = {}};
    point.setups.assign(kSetups, {.run_seconds = seconds});
    point.rules = {{.setup = "c", .rule = 'A', .against = against_a},
                   {.setup = "c", .rule = 'B', .against = against_b}};
    plan.points.push_back(point);
  };
  add(48, 0.9, 0.1, 10);
  add(64, 0.9, 0.9, 1000);
  add(128, 0.9, 0.9, 500);
  const SmallestSet set = smallest_set(plan);
  EXPECT_EQ(set.runs, 4 * plan.options.repeats);
  ASSERT_EQ(set.loads.size(), 1u);
  EXPECT_EQ(set.loads[0].point.batch, 128u);
  EXPECT_EQ(set.loads[0].setups, (std::vector<std::string>{"a1", "a2", "b", "c"}));
  EXPECT_EQ(set.settled.size(), 2u);
  EXPECT_EQ(set.open.size(), 2u);
}
TEST(RunPlan, the_judge_reads_it) {
  const PlanForecast plan = *plan_runs(quick_plan(), few_points());
  const auto read = gonogo::parse_plan(judge_plan_json(plan).dump(), "plan.json");
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), few_points().size());
  EXPECT_EQ(read->front().batch, 48);
  EXPECT_EQ(read->front().infeasible, "");
  EXPECT_FALSE((*read)[2].infeasible.empty());
}
TEST(RunPlan, refuses_options_that_mean_nothing) {
  const auto refused = [](const auto& change) {
    PlanOptions options = quick_plan();
    change(options);
    const auto plan = plan_runs(options, few_points());
    return plan ? std::string("accepted") : to_string(plan.error());
  };
  EXPECT_EQ(refused([](PlanOptions& o) { o.seeds = 0; }), "--seeds: 0: not 1 to 10000, seeds");
  EXPECT_EQ(refused([](PlanOptions& o) { o.seeds = 5; }).find("--seeds: 5: fewer than 6, twice the repeats"),
            0u);
  EXPECT_EQ(refused([](PlanOptions& o) { o.assume.prefill_cv = 2; }).find("--prefill-cv: 200: not 0 to 100"),
            0u);
  EXPECT_EQ(refused([](PlanOptions& o) { o.assume.run_cv = std::nan(""); }).find("--cv: nan"), 0u);
  EXPECT_EQ(refused([](PlanOptions& o) { o.tp = 3; }), "--tp: 3: not 1, 2 or 4");
  EXPECT_EQ(refused([](PlanOptions& o) { o.shard = 3; }).find("--shard: 3/1"), 0u);
}

// No difference at all: nothing counts. Twice as fast: rule A passes.
TEST(PlanJudge, counts_what_the_rules_count) {
  SetupRuns runs;
  for (auto& of_setup : runs) of_setup = {{10, 100, 1000, 5000, 48, 60}};
  const auto alike = judge_point(runs, {.trials = 200, .added_cv = 0.002});
  for (const RuleForecast& rule : alike) EXPECT_EQ(rule.passes + rule.against, 0) << rule.rule << rule.setup;
  runs[3][0].tpot_ms = 5;
  runs[3][0].output_per_s = 2000;
  const auto fast = judge_point(runs, {.trials = 200, .added_cv = 0.002});
  EXPECT_GT(fast[0].passes, 0.95);
  EXPECT_EQ(fast[2].passes, 0);
  runs[3][0].ttft_ms = 110;  // and its first token late: rule A's equal TTFT is broken
  EXPECT_GT(judge_point(runs, {.trials = 200, .added_cv = 0.002})[0].against, 0.95);
  runs[4][0].ttft_ms = 90;  // (d) wins TTFT over (b) ...
  EXPECT_GT(judge_point(runs, {.trials = 200, .added_cv = 0.002})[3].passes, 0.95);
  runs[4][0].tpot_ms = 10.4;  // ... but not with a TPOT 4 % worse
  EXPECT_GT(judge_point(runs, {.trials = 200, .added_cv = 0.002})[3].against, 0.95);
}

// Three seeds are fast and three slow, for every setup alike: (c) passes where it draws the fast ones and
// what it is compared with the slow ones, once in 20 measurements. Drawn with replacement: once in 500.
TEST(PlanJudge, draws_no_seed_twice) {
  SetupRuns runs;
  for (auto& of_setup : runs) {
    for (const double tpot : {10, 10, 10, 20, 20, 20})
      of_setup.push_back({tpot, 100, 1e4 / tpot, 5000, 48, 60});
  }
  const auto rules = judge_point(runs, {.repeats = 3, .trials = 4000});
  EXPECT_NEAR(rules[0].passes, 0.05, 0.015);
  EXPECT_NEAR(rules[0].against, 0.05, 0.015);
}

TEST(Sensitivity, a_bar_moves_what_it_must) {
  const Tornado found = *tornado(quick_plan(), {{"qwen3-8b", "hit", 48, 8192, 512}});
  ASSERT_EQ(found.bars.size(), 11u);
  for (const Bar& bar : found.bars) {
    if (bar.assumption == "traffic") {
      EXPECT_LT(bar.at_low.tpot_loss_to_b, bar.at_high.tpot_loss_to_b);
    }
    if (bar.assumption == "kernel_gain") {
      EXPECT_EQ(bar.at_high.tpot_gain, found.standard.tpot_gain);
    }
  }
}

TEST(Predictions, stand_in_the_repository_as_the_model_gives_them) {
  std::ifstream file(PAGEPROOF_SOURCE_DIR "/reports/predictions.json");
  std::stringstream text;
  text << file.rdbuf();
  const auto checked = check_predictions(text.str(), "predictions.json");
  ASSERT_TRUE(checked.has_value());
  for (const std::string& problem : checked->problems) ADD_FAILURE() << problem;
  // A figure, a threshold, a count, a word, a date that is none: each is one problem beside the hash.
  const nlohmann::json whole = nlohmann::json::parse(text.str());
  for (const auto& [pointer, value] : std::vector<std::pair<const char*, nlohmann::json>>{
           {"/predictions/0/figures/0/value",
            whole["predictions"][0]["figures"][0]["value"].get<double>() * 1.0001},
           {"/predictions/4/falsified_where/0/value", 43.21},
           {"/predictions/0/repeat/0/num_prompts", 343},
           {"/predictions/9/claim", "else"},
           {"/version", 3},
           {"/date", "2026-02-30"},
           {"/date", "hello"}}) {
    nlohmann::json changed = whole;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_EQ(check_predictions(changed.dump(), "changed")->problems.size(), 2u) << pointer << value;
  }
  nlohmann::json later = whole;
  later["date"] = "2026-12-01";  // another day is a day: only the hash tells
  EXPECT_EQ(check_predictions(later.dump(), "changed")->problems.size(), 1u);
}
// No figure lies where its own threshold says that the prediction is wrong; and without prefill noise, where
// equal prompts decode in lockstep, P1's would.
TEST(Predictions, are_not_falsified_by_the_simulator) {
  const auto made = make_predictions();
  ASSERT_TRUE(made.has_value());
  int compared = 0;
  for (const Prediction& p : *made) {
    for (const Threshold& wrong : p.falsified_where) {
      for (const PredictedFigure& figure : p.figures) {
        if (wrong.metric.find(figure.name) == std::string::npos || wrong.unit != figure.unit) continue;
        ++compared;
        if (wrong.relation == "above") {
          EXPECT_LE(figure.value, wrong.value) << p.id << ' ' << wrong.metric;
        } else {
          EXPECT_GE(figure.value, wrong.value) << p.id << ' ' << wrong.metric;
        }
      }
    }
  }
  EXPECT_GE(compared, 19);
  const auto near = [&](int figure, double conversions) {
    EXPECT_NEAR((*made)[0].figures[static_cast<std::size_t>(figure)].value / (*made)[0].figures[0].value,
                conversions, 0.05);
  };
  near(1, 1.5);
  near(3, 1);
  near(5, 1);
}
TEST(Predictions, each_can_be_falsified) {
  const auto made = make_predictions();
  ASSERT_TRUE(made.has_value());
  ASSERT_EQ(made->size(), 10u);
  for (const Prediction& p : *made) {
    EXPECT_FALSE(p.figures.empty()) << p.id;
    EXPECT_FALSE(p.runs.empty()) << p.id;
    for (const PredictedRun& run : p.repeat) {
      EXPECT_GT(run.num_prompts, 0u) << p.id;
      EXPECT_TRUE(run.max_concurrency > 0 || run.request_rate > 0) << p.id;
      EXPECT_EQ(run.simulate.find("pageproof simulate --setups " + run.setups), 0u) << p.id;
    }
    EXPECT_FALSE(p.falsified_where.empty()) << p.id;
  }
  EXPECT_FALSE(check_predictions("{}", "x").has_value());
}

}  // namespace
}  // namespace pageproof::decision
