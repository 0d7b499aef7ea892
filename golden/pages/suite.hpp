// What any suite of fixtures must say of itself: the count of its tests, one id a test, each flag explained
// and each note used. A template over the suite: both have groups of tests with ids and flags.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "golden/pages/fixture.hpp"
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
