// The golden fixtures: they are what the generator makes today, and the converter that ships meets them.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <random>

#include "golden/pages/check.hpp"
#include "golden/pages/generate.hpp"
#include "reports/verify/check.hpp"
#include "reports/verify/production.hpp"

namespace pageproof::reports {
namespace {

namespace fs = std::filesystem;

Failure failed(const char* check, const Error& error) {
  return {check,
          "the fixtures can be read",
          to_string(error),
          "fixtures",
          "an error",
          fmt::format("pageproof verify {}", check)};
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

CheckResult converter_matches(const CheckOptions& options) {
  const auto report = golden::check_fixtures(options.fixtures, production_converter());
  if (!report)
    return {.cases = 0, .failures = {failed("golden.converter_matches", report.error())}, .skipped = {}};
  return {.cases = report->tests(), .failures = report->failures, .skipped = {}};
}

// Generates into a folder of its own and compares every file that it made.
CheckResult is_current(const CheckOptions& options) {
  const fs::path made =
      fs::temp_directory_path() / fmt::format("pageproof-golden-{}", std::random_device{}());
  CheckResult result;
  const auto report = golden::generate_fixtures(made);
  if (!report) {
    result.failures.push_back(failed("golden.is_current", report.error()));
  } else {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(made)) {
      if (!entry.is_regular_file()) continue;
      ++result.cases;
      const fs::path name = fs::relative(entry.path(), made);
      if (bytes_of(entry.path()) == bytes_of(options.fixtures / name)) continue;
      result.failures.push_back({"golden.is_current",
                                 "the fixtures are what the generator makes, byte for byte",
                                 (options.fixtures / name).string(), "the generator's bytes", "other bytes",
                                 "pageproof fixtures generate golden"});
    }
  }
  std::error_code ignored;
  fs::remove_all(made, ignored);
  return result;
}

const Registered kConverterMatches(
    {.name = "golden.converter_matches",
     .claim = "the converter that ships gives the golden fixtures' bytes and refuses their bad requests",
     .run = converter_matches});
const Registered kIsCurrent({.name = "golden.is_current",
                             .claim = "the golden fixtures are what the generator makes, byte for byte",
                             .run = is_current});

}  // namespace
}  // namespace pageproof::reports
