// pageproof fixtures: makes the golden fixtures, and runs what converts against a folder of them: the
// converter that ships against pages_v1.json, the catalogue's conversion between formats against
// formats_v1.json.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "golden/formats/check.hpp"
#include "golden/formats/generate.hpp"
#include "golden/pages/check.hpp"
#include "golden/pages/generate.hpp"
#include "model/json/failure.hpp"
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
  return fmt::format("{}  {}/{}: {} tests in {} files, {} valid, {} invalid; {} failures\n",
                     r.holds() ? "HOLDS   " : "REFUTED ", directory, suite.file, r.tests(), r.files, r.valid,
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
  const golden::GenerateReport all{.files = pages->files + formats->files,
                                   .tests = pages->tests + formats->tests,
                                   .bytes = pages->bytes + formats->bytes};
  return Report{
      true,
      fmt::format("{}: {} tests in {} files, {} bytes", options.directory, all.tests, all.files, all.bytes),
      one_document({{"command", "fixtures generate"},
                    {"directory", options.directory},
                    {"tests", all.tests},
                    {"files", all.files},
                    {"bytes", all.bytes}})};
}

Result fixtures_check(const FixturesOptions& options) {
  const auto pages = golden::check_fixtures(options.directory, reports::production_converter());
  if (!pages) return std::unexpected(pages.error());
  const auto formats = golden::formats::check_fixtures(options.directory, reports::fold_formats());
  if (!formats) return std::unexpected(formats.error());

  const bool holds = pages->holds() && formats->holds();
  std::string text, totals;
  ordered_json suites = ordered_json::array(), failures = ordered_json::array();
  for (const Suite& suite :
       {Suite{golden::kSuiteFile, *pages}, Suite{golden::formats::kSuiteFile, *formats}}) {
    for (const Failure& failure : suite.report.failures) {
      text += to_string(failure) + "\n";
      failures.push_back(json_of(failure));
    }
    totals += line_of(suite, options.directory);
    suites.push_back(suite_json(suite));
  }
  totals.pop_back();
  return Report{holds, text + totals,
                one_document({{"command", "fixtures check"},
                              {"directory", options.directory},
                              {"holds", holds},
                              {"files", pages->files + formats->files},
                              {"valid", pages->valid + formats->valid},
                              {"invalid", pages->invalid + formats->invalid},
                              {"failures", failures},
                              {"suites", suites}})};
}

}  // namespace pageproof::cli
