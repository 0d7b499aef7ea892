// `pageproof results`: which runs the result files of a benchmark hold, and what is wrong with them.
#include <nlohmann/json.hpp>

#include "cli/json.hpp"
#include "cli/results_commands.hpp"
#include "reports/results/goodput.hpp"
#include "reports/results/read.hpp"
#include "reports/results/words.hpp"

namespace pageproof::cli {

Result results(const ResultsOptions& options) {
  results::Mapping mapping;
  if (!options.mapping.empty()) {
    auto read = results::read_mapping(options.mapping);
    if (!read) return std::unexpected(std::move(read).error());
    mapping = *std::move(read);
  }
  results::ReadOptions reading{.failed_ratio = options.failed_share, .keep_arrays = false};
  if (!options.goodput.empty()) {
    auto objectives = results::parse_objectives(options.goodput, "--goodput");
    if (!objectives) return std::unexpected(std::move(objectives).error());
    reading.objectives = *objectives;
  }
  results::Results all = results::read_results(options.inputs, mapping, reading);
  if (all.runs.empty() && all.refused.empty()) {
    return std::unexpected(Error{options.inputs.front(), "", "", "no result of a benchmark is there"});
  }
  nlohmann::ordered_json json = {{"command", "results"}};
  json.update(results::json_of(all));
  Report report{.text = results::text_of(all), .json = one_document(json)};
  for (const results::Run& run : all.runs) report.holds = report.holds && run.valid();
  report.refused = std::move(all.refused);
  return report;
}

}  // namespace pageproof::cli
