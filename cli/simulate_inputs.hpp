// From the options of `pageproof simulate` to what is simulated.
#pragma once

#include <vector>

#include "cli/simulate_options.hpp"
#include "model/serving/refusal.hpp"
#include "model/serving/runs.hpp"

namespace pageproof::cli {

struct PreparedSimulation {
  std::vector<serving::Cell> cells;  // one a setup, with its time in `times`
  std::vector<serving::StepTime> times;
};

// Refused, with the option, the file or its line: what no preset has, no deployment can be, no file says.
Expected<PreparedSimulation> prepare_simulation(const SimulateOptions& options);

}  // namespace pageproof::cli
