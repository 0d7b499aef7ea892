// The golden fixtures: they are what the generator makes today, and the converter that ships meets them.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "golden/container/mapped_file.hpp"
#include "golden/formats/generate.hpp"
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

// Both can be read and hold the same bytes.
bool same_bytes(const fs::path& one, const fs::path& other) {
  const auto a = golden::MappedFile::open(one);
  const auto b = golden::MappedFile::open(other);
  return a && b && std::ranges::equal(a->bytes(), b->bytes());
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
  const auto pages = golden::generate_fixtures(made);
  const auto formats = golden::formats::generate_fixtures(made);
  if (!pages || !formats) {
    result.failures.push_back(failed("golden.is_current", pages ? formats.error() : pages.error()));
  } else {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(made)) {
      if (!entry.is_regular_file()) continue;
      ++result.cases;
      const fs::path name = fs::relative(entry.path(), made);
      if (same_bytes(entry.path(), options.fixtures / name)) continue;
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
