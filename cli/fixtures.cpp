// pageproof fixtures: makes the golden fixtures, and runs the converter that ships against a folder of them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "golden/pages/check.hpp"
#include "golden/pages/generate.hpp"
#include "model/json/failure.hpp"
#include "reports/verify/production.hpp"

namespace pageproof::cli {

Result fixtures_generate(const FixturesOptions& options) {
  const Expected<golden::GenerateReport> report =
      golden::generate_fixtures(options.directory, {.full = options.full});
  if (!report) return std::unexpected(report.error());
  return Report{true,
                fmt::format("{}: {} tests in {} files, {} bytes", options.directory, report->tests,
                            report->files, report->bytes),
                one_document({{"command", "fixtures generate"},
                              {"directory", options.directory},
                              {"tests", report->tests},
                              {"files", report->files},
                              {"bytes", report->bytes}})};
}

Result fixtures_check(const FixturesOptions& options) {
  const Expected<golden::CheckReport> report =
      golden::check_fixtures(options.directory, reports::production_converter());
  if (!report) return std::unexpected(report.error());
  std::string text;
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  for (const Failure& failure : report->failures) {
    text += to_string(failure) + "\n";
    failures.push_back(json_of(failure));
  }
  text += fmt::format("{}  {}: {} tests in {} files, {} valid, {} invalid; {} failures",
                      report->holds() ? "HOLDS   " : "REFUTED ", options.directory, report->tests(),
                      report->files, report->valid, report->invalid, report->failures.size());
  return Report{report->holds(), text,
                one_document({{"command", "fixtures check"},
                              {"directory", options.directory},
                              {"holds", report->holds()},
                              {"files", report->files},
                              {"valid", report->valid},
                              {"invalid", report->invalid},
                              {"failures", failures}})};
}

}  // namespace pageproof::cli
