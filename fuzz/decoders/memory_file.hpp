// Bytes as a file that readers can open by its path, without a disk.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace pageproof::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes);
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();

  std::string path() const;  // valid in this process, as long as this value

 private:
  int descriptor_;
};

}  // namespace pageproof::fuzz
