// The fewest runs that can settle the question. It falls into 48 parts: a rule (A, B) for a converting setup
// (c, d) on a model, a workload and an output length. A part is settled where a load of it has been measured
// at which the forecast says that the rule's result counts (a decisive one); where it counts for the rule at
// some loads and against it at others, one load of each. A part without a decisive load cannot be settled by
// any of the plan's runs. Parts of one model, workload and output length share runs: (c) at a load serves
// both rules.
//
// Minimised: runs, then GPU-hours. Exact: branch and bound over every choice of loads, where of loads that
// serve the same parts only the cheapest is tried.
#pragma once

#include <string>
#include <vector>

#include "reports/decision/run_plan.hpp"

namespace pageproof::decision {

struct PartOfQuestion {
  std::string setup;
  char rule = 'A';
  std::string model;
  std::string workload;
  std::uint32_t output = 0;

  std::string name() const;  // "A(c) qwen3-8b hit osl 512"
  bool operator==(const PartOfQuestion&) const = default;
};

struct ChosenLoad {
  PlanPoint point;
  std::vector<std::string> setups;   // to run there
  std::vector<std::string> settles;  // "A(c) against", "B(d) passes"
  double gpu_hours = 0;
};

struct SmallestSet {
  std::vector<ChosenLoad> loads;
  std::vector<PartOfQuestion> settled;
  std::vector<PartOfQuestion> open;  // no run of the plan can settle it
  std::uint64_t runs = 0;
  double gpu_hours = 0;
};

SmallestSet smallest_set(const PlanForecast& plan);

}  // namespace pageproof::decision
