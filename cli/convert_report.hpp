// What `convert` says about a conversion that was done: as lines for a person, as JSON for a script.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/movement.hpp"
#include "reports/pages/pages.hpp"

namespace pageproof::cli {

struct Conversion {
  reports::Pool pool;
  std::size_t converted_blocks = 0;
  Movement movement;
  std::vector<std::string> left_out;  // tensors of the input that are not in the output
  std::chrono::duration<double> whole_seconds{};
};

Report convert_report(const ConvertOptions& options, const Conversion& done);

}  // namespace pageproof::cli
