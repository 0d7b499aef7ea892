#include "golden/container/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace pageproof::golden {
namespace {

namespace fs = std::filesystem;

// One write(2) moves at most about 2 GiB.
constexpr std::size_t kLargestWrite = std::size_t{1} << 30;

// The process's open files by their descriptors.
constexpr const char* kOwnFiles = "/proc/self/fd";

// The file that takes the target's name once it is whole. Until then it has no name where the file system
// allows that (O_TMPFILE), so that a process killed half-way leaves nothing; elsewhere it stands beside the
// target, and is removed unless it was renamed.
class NewFile {
 public:
  explicit NewFile(const fs::path& folder) : folder_(folder) {
    const bool can_be_named_later = ::access(kOwnFiles, X_OK) == 0;
    if (can_be_named_later) file_ = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (file_ >= 0) return;
    take_free_name([&] {
      file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      return file_ >= 0;
    });
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (file_ >= 0) ::close(file_);
    if (named_) ::unlink(path_.c_str());
  }

  bool made() const { return file_ >= 0; }

  bool write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), std::min(bytes.size(), kLargestWrite));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
  }

  bool set_mode(mode_t mode) { return ::fchmod(file_, mode) == 0; }

  // Some file systems report a failed write only when the file is closed. A file without a name is lost then,
  // so it gets one first, through the name that the system gives its descriptor.
  bool close() {
    if (!named_) {
      const std::string unnamed = fmt::format("{}/{}", kOwnFiles, file_);
      take_free_name([&] {
        return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0;
      });
      if (!named_) return false;
    }
    return ::close(std::exchange(file_, -1)) == 0;
  }

  bool rename_to(const fs::path& target) {
    const bool renamed = ::rename(path_.c_str(), target.c_str()) == 0;
    named_ = !renamed;
    return renamed;
  }

 private:
  // Calls `take` with names in path_ until one is taken that nobody had.
  template <class Take>
  void take_free_name(Take take) {
    static std::atomic<std::uint64_t> counter = 0;
    do {
      path_ = folder_ / fmt::format(".pageproof-{}-{}.tmp", ::getpid(), counter++);
      named_ = take();
    } while (!named_ && errno == EEXIST);
  }

  fs::path folder_;
  fs::path path_;
  int file_ = -1;
  bool named_ = false;
};

std::unexpected<Error> refuse(const fs::path& path, std::string problem) {
  return std::unexpected(Error{path.string(), "output", "", std::move(problem)});
}

std::unexpected<Error> refuse_errno(const fs::path& path, const char* what) {
  return refuse(path, fmt::format("{}: {}", what, std::strerror(errno)));
}

// The permissions of the file that is there already; nothing where there is none.
Expected<std::optional<mode_t>> existing_mode(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return refuse_errno(path, "cannot be written");
  }
  if (!S_ISREG(status.st_mode)) return refuse(path, "cannot be written: not a regular file");
  if (::access(path.c_str(), W_OK) != 0) return refuse_errno(path, "cannot be written");
  return status.st_mode & 07777;
}

}  // namespace

Expected<void> write_file_atomically(const fs::path& path,
                                     std::span<const std::span<const std::byte>> pieces) {
  const auto mode = existing_mode(path);
  if (!mode) return std::unexpected(mode.error());
  std::error_code unresolved;
  const fs::path target = *mode ? fs::canonical(path, unresolved) : path;
  if (unresolved) return refuse(path, fmt::format("cannot be written: {}", unresolved.message()));
  if (target.filename().empty()) return refuse(path, "cannot be written: names no file");

  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  NewFile file(folder);
  if (!file.made()) return refuse_errno(path, "no file can be made in its folder");
  for (const std::span<const std::byte> piece : pieces) {
    if (!file.write(piece)) return refuse_errno(path, "could not be written whole");
  }
  if (*mode && !file.set_mode(**mode)) return refuse_errno(path, "could not keep its permissions");
  if (!file.close()) return refuse_errno(path, "could not be written whole");
  if (!file.rename_to(target)) return refuse_errno(path, "could not be put in place");
  return {};
}

Expected<void> write_file_atomically(const fs::path& path, std::span<const std::byte> bytes) {
  return write_file_atomically(path, std::span(&bytes, 1));
}

Expected<void> write_file_atomically(const fs::path& path, std::string_view text) {
  return write_file_atomically(path, std::as_bytes(std::span(text)));
}

}  // namespace pageproof::golden
