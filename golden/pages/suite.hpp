// What suites of page fixtures have in common, as templates over the suite: groups of tests with ids and
// flags, a safetensors file a group, one JSON file. How such a suite is opened and written, and what it must
// say of itself: the count of its tests, one id a test, each flag explained and each note used.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "golden/container/atomic_file.hpp"
#include "golden/container/mapped_file.hpp"
#include "golden/container/safetensors.hpp"
#include "golden/pages/fixture.hpp"
#include "golden/pages/generate.hpp"
#include "model/page/plain/error.hpp"
#include "model/page/plain/failure.hpp"

namespace pageproof::golden {

// The notes of the flags that occur.
template <class Suite>
std::map<std::string, Note> used_notes(const Suite& suite, const std::map<std::string, Note>& all) {
  std::map<std::string, Note> notes;
  for (const auto& group : suite.groups) {
    for (const auto& test : group.tests) {
      for (const std::string& flag : test.flags) notes[flag] = all.at(flag);
    }
  }
  return notes;
}

// `read(text, subject)` gives the suite, or what is wrong with it.
auto open_suite(const std::filesystem::path& path, const auto& read) -> decltype(read({}, path.string())) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const auto bytes = file->bytes();
  return read({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

// Fills the suite's groups, ids and notes from the plans, and writes each file whole, the suite's own last.
// `pages`: the folder in `folder` that the groups' files name.
template <class Suite>
Expected<GenerateReport> write_suite(const std::filesystem::path& folder, const char* suite_file,
                                     const char* pages, Suite suite, const auto& plans,
                                     const std::map<std::string, Note>& notes) {
  std::error_code failed;
  std::filesystem::create_directories(folder / pages, failed);
  if (failed) return std::unexpected(Error{folder.string(), "output", "", "no folder: " + failed.message()});
  GenerateReport report;
  for (const auto& plan : plans) {
    auto built = build_group(plan);
    for (auto& test : built.group.tests) test.tc_id = ++suite.number_of_tests;
    std::vector<Tensor> tensors;
    for (const auto& tensor : built.tensors) {
      tensors.push_back({tensor.name, built.group.dtype, tensor.shape, tensor.data});
    }
    const std::filesystem::path file = folder / built.group.file;
    if (const auto written = write_safetensors(file, {{"suite", suite_file}}, tensors); !written) {
      return std::unexpected(written.error());
    }
    report.bytes += std::filesystem::file_size(file, failed);
    suite.groups.push_back(std::move(built.group));
  }
  suite.notes = used_notes(suite, notes);
  const std::string text = to_json_text(suite);
  if (const auto written = write_file_atomically(folder / suite_file, text); !written) {
    return std::unexpected(written.error());
  }
  report.bytes += text.size();
  report.files = suite.groups.size() + 1;
  report.tests = suite.number_of_tests;
  return report;
}

// `file` is the suite's, in `folder`.
template <class Suite>
std::vector<Failure> suite_failures(const Suite& suite, const std::filesystem::path& folder,
                                    const char* file) {
  std::vector<Failure> failures;
  const auto fail = [&](const char* name, const std::string& example, std::string expected, std::string got) {
    failures.push_back({name, "the suite's own counts, ids and flags agree",
                        fmt::format("{} {}", file, example), std::move(expected), std::move(got),
                        fmt::format("pageproof fixtures check {}", folder.string())});
  };
  std::set<std::uint64_t> ids;
  std::set<std::string> flags;
  std::uint64_t tests = 0;
  for (const auto& group : suite.groups) {
    for (const auto& test : group.tests) {
      ++tests;
      if (!ids.insert(test.tc_id).second) {
        fail("fixtures.one_id_a_test", fmt::format("tcId={}", test.tc_id), "used once", "used twice");
      }
      for (const std::string& flag : test.flags) {
        flags.insert(flag);
        if (suite.notes.contains(flag)) continue;
        fail("fixtures.flags_are_explained", fmt::format("tcId={} flag={}", test.tc_id, flag), "a note",
             "none");
      }
    }
  }
  for (const auto& [flag, note] : suite.notes) {
    if (!flags.contains(flag)) {
      fail("fixtures.notes_are_used", "note " + flag, "a test with this flag", "none");
    }
  }
  if (tests != suite.number_of_tests) {
    fail("fixtures.number_of_tests", "", fmt::format("numberOfTests {}", tests),
         std::to_string(suite.number_of_tests));
  }
  return failures;
}

}  // namespace pageproof::golden
