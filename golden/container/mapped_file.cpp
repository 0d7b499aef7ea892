#include "golden/container/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace pageproof::golden {

Expected<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const auto refuse = [&](std::string value, std::string problem) {
    return std::unexpected(Error{path.string(), "", std::move(value), std::move(problem)});
  };
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return refuse("", std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status = {};
  const bool known = ::fstat(file, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    ::close(file);
    return refuse(known && S_ISDIR(status.st_mode) ? "a directory" : "", "not a regular file");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    ::close(file);
    return MappedFile({});
  }
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  ::close(file);
  if (start == MAP_FAILED) return refuse("", std::string("cannot be mapped: ") + std::strerror(error));
  return MappedFile({static_cast<const std::byte*>(start), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace pageproof::golden
