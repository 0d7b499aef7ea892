#include "golden/formats/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "golden/formats/builder.hpp"
#include "golden/formats/fixture_json.hpp"
#include "golden/formats/run_test.hpp"
#include "golden/formats/validate.hpp"
#include "golden/pages/suite.hpp"
#include "golden/pages/validate.hpp"

namespace pageproof::golden::formats {
namespace {

namespace fs = std::filesystem;

// The arithmetic that the suite tells its readers is the oracle's, and every format that its pages are in has
// one.
void check_statements(const Suite& suite, std::vector<Failure>& failures) {
  const auto fail = [&](const std::string& tag, std::string expected, std::string got) {
    failures.push_back(
        {"fixtures.formats_are_stated", "the suite states every format's arithmetic as the oracle does",
         fmt::format("{} format {}", kSuiteFile, tag), std::move(expected), std::move(got), ""});
  };
  const std::map<std::string, Format> stated = stated_formats();
  for (const auto& [tag, format] : suite.formats) {
    const auto right = stated.find(tag);
    if (right == stated.end()) {
      fail(tag, "a format that the oracle states", "none");
    } else if (right->second != format) {
      fail(tag, fmt::format("K {}, V {}", right->second.key, right->second.value),
           fmt::format("K {}, V {}, {} {}", format.key, format.value, format.regions, format.sides));
    }
  }
  for (const auto& [tag, format] : stated) {
    if (!suite.formats.contains(tag)) fail(tag, "its arithmetic", "none");
  }
}

}  // namespace

Expected<CheckReport> check_fixtures(const fs::path& folder, const ConvertFormat& converter) {
  const fs::path suite_path = folder / kSuiteFile;
  const auto suite = open_suite(suite_path, read_suite);
  if (!suite) return std::unexpected(suite.error());

  CheckReport report;
  report.failures = suite_failures(*suite, folder, kSuiteFile);
  check_statements(*suite, report.failures);
  for (const Group& group : suite->groups) {
    const auto sound = validate_source(group.shape, group.dtype, group.file, suite_path.string());
    if (!sound) return std::unexpected(sound.error());
    const auto file = SafetensorsFile::open(folder / group.file);
    if (!file) return std::unexpected(file.error());
    const auto tests_sound = validate_tests(group, *file, suite_path.string());
    if (!tests_sound) return std::unexpected(tests_sound.error());
    ++report.files;
    std::ranges::move(check_pages(group, *file), std::back_inserter(report.failures));
    for (const Test& test : group.tests) {
      ++(test.valid ? report.valid : report.invalid);
      std::ranges::move(run_test(group, test, *file, converter), std::back_inserter(report.failures));
    }
  }
  for (Failure& failure : report.failures) {
    failure.replay = fmt::format("pageproof fixtures check {}", folder.string());
  }
  return report;
}

}  // namespace pageproof::golden::formats
