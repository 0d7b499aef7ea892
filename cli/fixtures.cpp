// pageproof fixtures: makes the golden fixtures, and runs the converter that ships against a folder of them.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "golden/pages/check.hpp"
#include "golden/pages/generate.hpp"
#include "golden/plans/check.hpp"
#include "model/json/failure.hpp"
#include "reports/plan/production.hpp"
#include "reports/verify/production.hpp"

namespace pageproof::cli {

Result fixtures_generate(const FixturesOptions& options) {
  const Expected<golden::GenerateReport> report =
      golden::generate_fixtures(options.directory, {.full = options.full});
  if (!report) return std::unexpected(report.error());
  const Expected<std::uint64_t> plans = golden::plans::generate_plans(options.directory);
  if (!plans) return std::unexpected(plans.error());
  return Report{true,
                fmt::format("{}: {} tests in {} files, {} bytes; {} plans", options.directory, report->tests,
                            report->files, report->bytes, *plans),
                one_document({{"command", "fixtures generate"},
                              {"directory", options.directory},
                              {"tests", report->tests},
                              {"files", report->files},
                              {"bytes", report->bytes},
                              {"plans", *plans}})};
}

namespace {

// Plans are checked where the folder has them.
Expected<golden::plans::PlansReport> checked_plans(const std::string& directory) {
  if (!std::filesystem::exists(std::filesystem::path(directory) / golden::plans::kPlansFile))
    return golden::plans::PlansReport{};
  return golden::plans::check_plans(directory, reports::production_planner());
}

}  // namespace

Result fixtures_check(const FixturesOptions& options) {
  const Expected<golden::CheckReport> report =
      golden::check_fixtures(options.directory, reports::production_converter());
  if (!report) return std::unexpected(report.error());
  const auto plans = checked_plans(options.directory);
  if (!plans) return std::unexpected(plans.error());
  std::string text;
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  for (const auto* found : {&report->failures, &plans->failures}) {
    for (const Failure& failure : *found) {
      text += to_string(failure) + "\n";
      failures.push_back(json_of(failure));
    }
  }
  const bool holds = report->holds() && plans->failures.empty();
  text += fmt::format("{}  {}: {} tests in {} files, {} valid, {} invalid; {} plans; {} failures",
                      holds ? "HOLDS   " : "REFUTED ", options.directory, report->tests(), report->files,
                      report->valid, report->invalid, plans->tests(), failures.size());
  return Report{holds, text,
                one_document({{"command", "fixtures check"},
                              {"directory", options.directory},
                              {"holds", holds},
                              {"files", report->files},
                              {"valid", report->valid},
                              {"invalid", report->invalid},
                              {"plans", plans->tests()},
                              {"failures", failures}})};
}

}  // namespace pageproof::cli
