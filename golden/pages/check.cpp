#include "golden/pages/check.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "golden/container/safetensors.hpp"
#include "golden/pages/fixture_json.hpp"
#include "golden/pages/run_test.hpp"
#include "golden/pages/suite.hpp"
#include "golden/pages/validate.hpp"

namespace pageproof::golden {

Expected<CheckReport> check_fixtures(const std::filesystem::path& folder, const Convert& converter) {
  const std::filesystem::path suite_path = folder / kSuiteFile;
  const auto suite = open_suite(suite_path, read_suite);
  if (!suite) return std::unexpected(suite.error());

  CheckReport report;
  report.failures = suite_failures(*suite, folder, kSuiteFile);
  for (const Group& group : suite->groups) {
    if (const auto sound = validate_group(group, suite_path.string()); !sound)
      return std::unexpected(sound.error());
    const auto file = SafetensorsFile::open(folder / group.file);
    if (!file) return std::unexpected(file.error());
    ++report.files;
    for (const Test& test : group.tests) {
      const auto sound = validate_test(group, test, *file, suite_path.string());
      if (!sound) return std::unexpected(sound.error());
      ++(test.valid ? report.valid : report.invalid);
      for (Failure& failure : run_test(group, test, *file, converter)) {
        failure.replay = fmt::format("pageproof fixtures check {}", folder.string());
        report.failures.push_back(std::move(failure));
      }
    }
  }
  return report;
}

}  // namespace pageproof::golden
