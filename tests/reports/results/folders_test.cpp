// What a folder may hold beside files: all of it is read once, or has a line.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/golden/scratch.hpp"
#include "tests/reports/results/files.hpp"

namespace pageproof::results {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST(Folders, LinksAreFollowedOnceAndWhatIsNoFileHasALine) {
  golden::Scratch scratch;
  golden::Scratch elsewhere;
  fs::create_directories(scratch / "c/below");
  golden::put(scratch / "c/below/run=0.json", good_run().dump());
  golden::put(elsewhere / "run=1.json", changed(good_run(), {{"date", "later"}}).dump());
  fs::create_directory_symlink(elsewhere.path(), scratch / "a_linked");
  fs::create_directory_symlink(elsewhere.path(), scratch / "b_linked_again");
  fs::create_directory_symlink(scratch.path(), scratch / "c/loop");
  fs::create_symlink(scratch / "c/below/run=0.json", scratch / "a_copy.json");
  fs::create_symlink(scratch / "nowhere", scratch / "dangling.json");
  ASSERT_EQ(mkfifo((scratch / "pipe.json").c_str(), 0600), 0);
  const Results results = read_results({scratch.path().string()}, {}, {});
  EXPECT_THAT(results.refused, IsEmpty());
  ASSERT_THAT(results.runs, SizeIs(2));
  for (const results::Run& run : results.runs) EXPECT_THAT(said(run), IsEmpty()) << run.source;
  const auto all = lines(results.left_out);
  EXPECT_THAT(all, SizeIs(5));
  EXPECT_THAT(all, testing::Contains(EndsWith("a_copy.json: a link to a file that is read already")));
  EXPECT_THAT(all, testing::Contains(EndsWith("loop: a link to a folder that is read already")));
  EXPECT_THAT(all, testing::Contains(EndsWith("dangling.json: a link that leads nowhere")));
  EXPECT_THAT(all, testing::Contains(EndsWith("pipe.json: no file, but a pipe, socket or device")));
}

TEST(Folders, OneThatCannotBeListedDoesNotStopTheOthers) {
  golden::Scratch scratch;
  fs::permissions(scratch.path(), fs::perms::all);
  for (const char* name : {"a", "m", "z"}) {
    fs::create_directory(scratch / name);
    golden::put(scratch / name / "run.json", changed(good_run(), {{"date", name}}).dump());
  }
  fs::permissions(scratch / "m", fs::perms::none);
  fs::create_directory(scratch / "n");
  fs::permissions(scratch / "n", fs::perms::none);
  // Root may list every folder: it reads as somebody else.
  const uid_t own = geteuid();
  const bool somebody = own != 0 || seteuid(65534) == 0;
  const Results results = read_results({scratch.path().string()}, {}, {});
  ASSERT_EQ(seteuid(own), 0);
  if (!somebody) GTEST_SKIP() << "root may list every folder";
  fs::permissions(scratch / "m", fs::perms::owner_all);
  fs::permissions(scratch / "n", fs::perms::owner_all);
  EXPECT_THAT(results.runs, SizeIs(2));
  EXPECT_THAT(lines(results.refused),
              UnorderedElementsAre(EndsWith("/m: cannot be listed: Permission denied"),
                                   EndsWith("/n: cannot be listed: Permission denied")));
}

}  // namespace
}  // namespace pageproof::results
