// A file's bytes, mapped read-only; the mapping goes with the value. A file that another process shortens
// while it is mapped kills the reader (SIGBUS), as with every mmap.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "model/page/plain/error.hpp"

namespace pageproof::golden {

class MappedFile {
 public:
  // Refuses what is missing, unreadable or not a regular file.
  static Expected<MappedFile> open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace pageproof::golden
