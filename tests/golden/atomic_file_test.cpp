// A file is written whole or not at all, and nothing is left beside it.
#include "golden/container/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "tests/golden/scratch.hpp"

namespace pageproof::golden {
namespace {

namespace fs = std::filesystem;

TEST(WriteFileAtomically, ReplacesTheOldFileAndKeepsItsPermissions) {
  const Scratch scratch;
  put(scratch / "f", "old and longer");
  fs::permissions(scratch / "f", fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  ASSERT_TRUE(write_file_atomically(scratch / "f", "new").has_value());
  EXPECT_EQ(contents(scratch / "f"), "new");
  EXPECT_EQ(fs::status(scratch / "f").permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  EXPECT_EQ(scratch.names().size(), 1u);
}

TEST(WriteFileAtomically, JoinsThePieces) {
  const Scratch scratch;
  const std::string one = "one";
  const std::string two = "two";
  const std::array pieces{std::as_bytes(std::span(one)), std::span<const std::byte>(),
                          std::as_bytes(std::span(two))};
  ASSERT_TRUE(write_file_atomically(scratch / "f", pieces).has_value());
  EXPECT_EQ(contents(scratch / "f"), "onetwo");
}

TEST(WriteFileAtomically, WritesThroughALink) {
  const Scratch scratch;
  put(scratch / "target", "old");
  fs::create_symlink("target", scratch / "link");
  ASSERT_TRUE(write_file_atomically(scratch / "link", "new").has_value());
  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  EXPECT_EQ(contents(scratch / "target"), "new");
}

TEST(WriteFileAtomically, LeavesDevicesFoldersAndMissingFoldersAlone) {
  const Scratch scratch;
  fs::create_directory(scratch / "folder");
  const auto problem = [](const fs::path& path) {
    const auto written = write_file_atomically(path, "x");
    return written ? std::string("written") : written.error().problem;
  };
  EXPECT_EQ(problem(scratch / "folder"), "cannot be written: not a regular file");
  EXPECT_EQ(problem("/dev/null"), "cannot be written: not a regular file");
  EXPECT_EQ(problem(scratch / "none/f"), "no file can be made in its folder: No such file or directory");
  EXPECT_EQ(problem(scratch / "new/"), "cannot be written: names no file");
  put(scratch / "file", "kept");
  EXPECT_EQ(problem(scratch / "file/f"), "cannot be written: Not a directory");
  EXPECT_EQ(contents(scratch / "file"), "kept");
  struct stat status = {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_EQ(scratch.names().size(), 2u);
}

// A write that fails half-way, as on a full disk: the largest size of a file is a limit of the process.
TEST(WriteFileAtomically, KeepsTheOldFileWhenTheDiskIsFull) {
  const Scratch scratch;
  put(scratch / "f", "old");
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = write_file_atomically(scratch / "f", std::string(10'000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, signal_before);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().problem, "could not be written whole: File too large");
  EXPECT_EQ(contents(scratch / "f"), "old");
  EXPECT_EQ(scratch.names().size(), 1u);
}

// A process that a signal ends in the middle of its write: no destructor runs.
TEST(WriteFileAtomically, LeavesNothingWhenTheProcessIsKilledHalfWay) {
  const Scratch scratch;
  put(scratch / "f", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const rlimit small{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &small);
    ::_exit(write_file_atomically(scratch / "f", std::string(10'000, 'x')).has_value() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
  EXPECT_EQ(contents(scratch / "f"), "old");
  EXPECT_EQ(scratch.names().size(), 1u);
}

}  // namespace
}  // namespace pageproof::golden
