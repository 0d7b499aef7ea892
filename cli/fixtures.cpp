// pageproof fixtures: makes the golden fixtures, and runs what converts against a folder of them: the
// converter that ships against pages_v1.json, the catalogue's conversion between formats against
// formats_v1.json, the planner that ships against plans_v1.json.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "golden/formats/check.hpp"
#include "golden/formats/generate.hpp"
#include "golden/pages/check.hpp"
#include "golden/pages/generate.hpp"
#include "golden/plans/check.hpp"
#include "model/json/failure.hpp"
#include "reports/plan/production.hpp"
#include "reports/verify/fold_formats.hpp"
#include "reports/verify/production.hpp"

namespace pageproof::cli {
namespace {

using nlohmann::ordered_json;

struct Suite {
  const char* file;
  golden::CheckReport report;
};

std::string line_of(const Suite& suite, const std::string& directory) {
  const golden::CheckReport& r = suite.report;
  const std::string files = r.files == 0 ? "" : fmt::format(" in {} files", r.files);
  return fmt::format("{}  {}/{}: {} tests{}, {} valid, {} invalid; {} failures\n",
                     r.holds() ? "HOLDS   " : "REFUTED ", directory, suite.file, r.tests(), files, r.valid,
                     r.invalid, r.failures.size());
}

ordered_json suite_json(const Suite& suite) {
  const golden::CheckReport& r = suite.report;
  ordered_json failures = ordered_json::array();
  for (const Failure& failure : r.failures) failures.push_back(json_of(failure));
  return {{"suite", suite.file}, {"holds", r.holds()},   {"files", r.files},
          {"valid", r.valid},    {"invalid", r.invalid}, {"failures", failures}};
}

}  // namespace

Result fixtures_generate(const FixturesOptions& options) {
  const auto pages = golden::generate_fixtures(options.directory, {.full = options.full});
  if (!pages) return std::unexpected(pages.error());
  const auto formats = golden::formats::generate_fixtures(options.directory);
  if (!formats) return std::unexpected(formats.error());
  const auto plans = golden::plans::generate_plans(options.directory);
  if (!plans) return std::unexpected(plans.error());
  const golden::GenerateReport all{.files = pages->files + formats->files,
                                   .tests = pages->tests + formats->tests,
                                   .bytes = pages->bytes + formats->bytes};
  return Report{true,
                fmt::format("{}: {} tests in {} files, {} bytes; {} plans", options.directory, all.tests,
                            all.files, all.bytes, *plans),
                one_document({{"command", "fixtures generate"},
                              {"directory", options.directory},
                              {"tests", all.tests},
                              {"files", all.files},
                              {"bytes", all.bytes},
                              {"plans", *plans}})};
}

Result fixtures_check(const FixturesOptions& options) {
  const auto pages = golden::check_fixtures(options.directory, reports::production_converter());
  if (!pages) return std::unexpected(pages.error());
  const auto formats = golden::formats::check_fixtures(options.directory, reports::fold_formats());
  if (!formats) return std::unexpected(formats.error());
  const auto plans = golden::plans::check_plans(options.directory, reports::production_planner());
  if (!plans) return std::unexpected(plans.error());
  const golden::CheckReport planned{
      .files = 0, .valid = plans->valid, .invalid = plans->invalid, .failures = plans->failures};

  std::string text, totals;
  golden::CheckReport all;
  bool holds = true;
  ordered_json suites = ordered_json::array(), failures = ordered_json::array();
  for (const Suite& suite : {Suite{golden::kSuiteFile, *pages}, Suite{golden::formats::kSuiteFile, *formats},
                             Suite{golden::plans::kPlansFile, planned}}) {
    for (const Failure& failure : suite.report.failures) {
      text += to_string(failure) + "\n";
      failures.push_back(json_of(failure));
    }
    holds = holds && suite.report.holds();
    all.files += suite.report.files;
    all.valid += suite.report.valid;
    all.invalid += suite.report.invalid;
    totals += line_of(suite, options.directory);
    suites.push_back(suite_json(suite));
  }
  totals.pop_back();
  return Report{holds, text + totals,
                one_document({{"command", "fixtures check"},
                              {"directory", options.directory},
                              {"holds", holds},
                              {"files", all.files},
                              {"valid", all.valid},
                              {"invalid", all.invalid},
                              {"failures", failures},
                              {"suites", suites}})};
}

}  // namespace pageproof::cli
