#include "fuzz/decoders/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/decoders/decoder.hpp"

namespace pageproof::fuzz {

MemoryFile::MemoryFile(std::span<const std::byte> bytes) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
  must(descriptor_ >= 0, "the system makes a file in memory");
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(descriptor_, bytes.data() + done, bytes.size() - done);
    must(written > 0, "a file in memory takes its bytes");
    done += static_cast<std::size_t>(written);
  }
}

MemoryFile::~MemoryFile() {
  close(descriptor_);
}

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

}  // namespace pageproof::fuzz
