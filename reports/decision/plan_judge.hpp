// How often would the rules pass? Many measurements are drawn from simulated runs: of each setup some runs,
// none twice, and no seed for two setups that are compared, for setups share the noise of a seed; with five
// times as many seeds as repeats no two setups share one. Each measurement is judged by the rules themselves.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/serving/summary.hpp"
#include "reports/decision/run_plan.hpp"

namespace pageproof::decision {

// What the rules look at in a run.
struct RunMetrics {
  double tpot_ms = 0;  // mean
  double ttft_ms = 0;  // median
  double output_per_s = 0;
  double prefill_per_s = 0;  // prompt tokens computed a second of a busy server
  double batch = 0;
  double seconds = 0;
};
RunMetrics metrics_of(const serving::Summary& summary);

using SetupRuns = std::array<std::vector<RunMetrics>, kSetups>;

struct Draws {
  std::uint32_t repeats = 3;
  std::uint32_t trials = 400;
  std::uint64_t seed = 1;
  double added_cv = 0;  // of a factor on every metric of every drawn run: for runs simulated without the
                        // noise between runs. Runs are then drawn with replacement
};

// Rule A and rule B of (c), then of (d). @pre every setup has as many runs, and by the same seeds: twice the
// repeats, or with `added_cv` one
std::vector<RuleForecast> judge_point(const SetupRuns& runs, const Draws& draws);

}  // namespace pageproof::decision
