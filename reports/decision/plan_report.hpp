// A plan of runs in words and as JSON, and shards of one put together again.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reports/decision/smallest_set.hpp"

namespace pageproof::decision {

// Of cells: a cell is decisive where a decisive rule compares its setup.
struct PlanCounts {
  std::size_t infeasible = 0;
  std::size_t unreachable = 0;
  std::size_t undecidable = 0;
  std::size_t decisive = 0;

  std::size_t cells() const { return infeasible + unreachable + undecidable + decisive; }
};
PlanCounts counts_of(const PlanForecast& plan);

// Of all runs of feasible and reachable points.
double gpu_hours_of(const PlanForecast& plan);

std::string plan_text(const PlanForecast& plan, bool every_point);
nlohmann::ordered_json plan_json(const PlanForecast& plan);

// The plan as the judge reads it: which cells there are, the batch that each should decode, and which cannot
// be.
nlohmann::ordered_json judge_plan_json(const PlanForecast& plan);

// Reads what plan_json wrote. Refused: another document, a point of no plan.
Expected<PlanForecast> plan_from_json(std::string_view text, const std::string& subject);

// Refused: shards of different options, a point in two of them, a shard that is missing.
Expected<PlanForecast> merged(const std::vector<PlanForecast>& shards,
                              const std::vector<std::string>& subjects);

}  // namespace pageproof::decision
