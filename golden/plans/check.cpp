#include "golden/plans/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <system_error>

#include "golden/container/atomic_file.hpp"
#include "golden/container/mapped_file.hpp"
#include "golden/plans/cases.hpp"
#include "golden/plans/expect.hpp"
#include "golden/plans/plan_json.hpp"

namespace pageproof::golden::plans {
namespace {

namespace fs = std::filesystem;

template <class List>
std::string first_difference(const List& expected, const List& got, bool of_expected) {
  std::size_t i = 0;
  while (i < expected.size() && i < got.size() && expected[i] == got[i]) ++i;
  const List& list = of_expected ? expected : got;
  return i < list.size() ? fmt::format("[{}]: {}", i, list[i]) : fmt::format("{} entries", list.size());
}

class Checker {
 public:
  Checker(const fs::path& folder, PlansReport& report) : folder_(folder), report_(report) {}

  void fail(const std::string& name, const std::string& claim, const Test& test, const std::string& where,
            std::string expected, std::string got) {
    report_.failures.push_back(
        {"plans." + name, claim,
         fmt::format("tcId={} strategy={}   {}   {}", test.tc_id, test.strategy, test.comment, where),
         std::move(expected), std::move(got), fmt::format("pageproof fixtures check {}", folder_.string())});
  }

  template <class List>
  void same(const Test& test, const std::string& what, const List& expected, const List& got) {
    if (expected == got) return;
    fail("planner_matches", "the planner gives the fixture's lists", test, what,
         first_difference(expected, got, true), first_difference(expected, got, false));
  }

  void run(const Test& test, const Planner& planner) {
    const Expected<Planned> planned = planner(test);
    if (!test.valid) {
      ++report_.invalid;
      if (planned)
        return fail("refused", "the request is refused", test, "", "an error at " + test.field, "a plan");
      const Error& error = planned.error();
      if ((error.field.empty() ? error.subject : error.field) != test.field)
        fail("refused", "the error names the field", test, "", test.field, to_string(planned.error()));
      return;
    }
    ++report_.valid;
    if (!planned)
      return fail("planner_matches", "the request is planned", test, "", "a plan",
                  to_string(planned.error()));
    if (planned->reads.size() != test.sources.size()) {
      return fail("planner_matches", "a read a source", test, "",
                  fmt::format("{} reads", test.sources.size()),
                  fmt::format("{} reads", planned->reads.size()));
    }
    for (std::size_t i = 0; i < test.sources.size(); ++i) {
      const Source& source = test.sources[i];
      const Planned::Read& read = planned->reads[i];
      const std::string rank = fmt::format("rank {} ", source.rank);
      same(test, rank + "local_ids", source.local_ids, read.local_ids);
      same(test, rank + "remote_ids", source.remote_ids, read.remote_ids);
      same(test, rank + "local_rows", source.local_rows, read.local_rows);
      same(test, rank + "remote_rows", source.remote_rows, read.remote_rows);
      same(test, rank + "posted", source.posted, read.posted);
    }
    const std::string digest = digest_of_rows(test);
    if (digest != test.content_sha256)
      fail("digest", "the rows bring the bytes of the digest", test, "", test.content_sha256, digest);
  }

  void of_itself(const Suite& suite) {
    std::set<std::uint64_t> ids;
    for (const Test& test : suite.tests) {
      if (!ids.insert(test.tc_id).second)
        fail("one_id_a_test", "an id is used once", test, "", "once", "twice");
      for (const std::string& flag : test.flags) {
        if (!suite.notes.contains(flag))
          fail("flags_are_explained", "each flag has a note", test, flag, "a note", "none");
      }
    }
  }

 private:
  const fs::path& folder_;
  PlansReport& report_;
};

}  // namespace

Expected<PlansReport> check_plans(const fs::path& folder, const Planner& planner) {
  const fs::path path = folder / kPlansFile;
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const auto bytes = file->bytes();
  const auto suite = read_suite({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
  if (!suite) return std::unexpected(suite.error());
  PlansReport report;
  Checker checker(folder, report);
  checker.of_itself(*suite);
  for (const Test& test : suite->tests) checker.run(test, planner);
  return report;
}

Expected<std::uint64_t> generate_plans(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return std::unexpected(Error{folder.string(), "output", "", "no folder: " + failed.message()});
  const Suite suite = make_suite();
  if (auto written = write_file_atomically(folder / kPlansFile, to_json_text(suite)); !written)
    return std::unexpected(std::move(written).error());
  return suite.tests.size();
}

}  // namespace pageproof::golden::plans
