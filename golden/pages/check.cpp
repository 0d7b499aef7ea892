#include "golden/pages/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "golden/container/mapped_file.hpp"
#include "golden/container/safetensors.hpp"
#include "golden/pages/fixture_json.hpp"
#include "golden/pages/run_test.hpp"
#include "golden/pages/validate.hpp"

namespace pageproof::golden {
namespace {

namespace fs = std::filesystem;

// What the suite says of itself: the count, one id a test, each flag explained and each note used.
class SuiteFindings {
 public:
  SuiteFindings(const Suite& suite, const fs::path& folder, std::vector<Failure>& failures)
      : suite_(suite), folder_(folder), failures_(failures) {}

  void add() {
    std::set<std::uint64_t> ids;
    std::set<std::string> flags;
    std::uint64_t tests = 0;
    for (const Group& group : suite_.groups) {
      for (const Test& test : group.tests) {
        ++tests;
        if (!ids.insert(test.tc_id).second) {
          fail("fixtures.one_id_a_test", fmt::format("tcId={}", test.tc_id), "used once", "used twice");
        }
        for (const std::string& flag : test.flags) {
          flags.insert(flag);
          if (suite_.notes.contains(flag)) continue;
          fail("fixtures.flags_are_explained", fmt::format("tcId={} flag={}", test.tc_id, flag), "a note",
               "none");
        }
      }
    }
    for (const auto& [flag, note] : suite_.notes) {
      if (!flags.contains(flag))
        fail("fixtures.notes_are_used", "note " + flag, "a test with this flag", "none");
    }
    if (tests != suite_.number_of_tests) {
      fail("fixtures.number_of_tests", kSuiteFile, fmt::format("numberOfTests {}", tests),
           std::to_string(suite_.number_of_tests));
    }
  }

 private:
  void fail(std::string name, std::string example, std::string expected, std::string got) {
    failures_.push_back({std::move(name), "the suite's own counts, ids and flags agree", std::move(example),
                         std::move(expected), std::move(got),
                         fmt::format("pageproof fixtures check {}", folder_.string())});
  }

  const Suite& suite_;
  const fs::path& folder_;
  std::vector<Failure>& failures_;
};

Expected<Suite> open_suite(const fs::path& path) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const auto bytes = file->bytes();
  return read_suite({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

}  // namespace

Expected<CheckReport> check_fixtures(const fs::path& folder, const Convert& converter) {
  const fs::path suite_path = folder / kSuiteFile;
  const auto suite = open_suite(suite_path);
  if (!suite) return std::unexpected(suite.error());

  CheckReport report;
  SuiteFindings(*suite, folder, report.failures).add();
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
