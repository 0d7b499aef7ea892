// Simulated runs for a person: a row a setup, its repeats behind it, and where a TTFT goes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "model/serving/runs.hpp"

namespace pageproof::simulated {

// All repeats of one setup under one load.
struct SetupRuns {
  serving::Cell cell;
  std::string kernel;  // that decoded most of the time
  std::vector<std::uint64_t> seeds;
  std::vector<serving::Summary> runs;  // one a seed
};

std::string table(std::span<const SetupRuns> setups);
nlohmann::ordered_json to_json(std::span<const SetupRuns> setups);

}  // namespace pageproof::simulated
