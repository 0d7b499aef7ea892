// The simulated runs that predictions rest on. Each place is a deployment and a load that a person can set up
// again, on GPUs or with the `pageproof simulate` that is written beside it; a figure is the median over
// seeds, of differences seed by seed, for setups share the noise of a seed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reports/decision/predictions.hpp"
#include "reports/decision/run_plan.hpp"

namespace pageproof::decision {

inline constexpr std::uint64_t kPredictionSeeds = 9;

// Of one setup, a value a seed.
struct SeedRuns {
  std::vector<double> tpot_ms;  // mean
  std::vector<double> ttft_ms;  // mean
  std::vector<double> p99_itl_ms;
  std::vector<double> batch;  // mean, that decodes
};

// Medians of one - other, and of one / other.
double median_difference(const std::vector<double>& one, const std::vector<double>& other);
double median_ratio(const std::vector<double>& one, const std::vector<double>& other);

struct Place {
  PlanPoint point;
  std::uint32_t tp = 2;
  std::uint32_t prefill_servers = 1;  // engines of tp GPUs each
  std::uint32_t concurrency = 0;      // of the client; 0: requests come at `rate`
  double rate = 0;                    // requests/s
  std::uint64_t prompts = 0;
};

// Where (c) is not as usual: the option of `simulate` that makes it so.
struct PlacedSetup {
  serving::Setup setup;
  std::string option;  // "--set c.convert=fused"; empty: the preset
};

// The defaults of plan-runs, as many prefill GPUs as a batch needs, and no noise between runs.
PlanOptions prediction_options();

// Where (a1) decodes the point's batch. Refused: what plan-runs calls infeasible.
Expected<Place> place_for(const PlanPoint& point, std::uint32_t tp);

Expected<SeedRuns> run_at(const Place& place, const serving::Setup& setup);

// To run it again: `setups` is "b,c".
PredictedRun repeat_of(const Place& place, std::string setups, const std::string& option = "");

}  // namespace pageproof::decision
