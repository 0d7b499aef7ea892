// The memory of a case: standard pages and planes as two stretches of bytes, in which every byte is known,
// those between blocks and around the pools included. So a law compares whole stretches and misses no stray
// write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/generate/convert_case.hpp"
#include "fuzz/laws/converter.hpp"

namespace pageproof::fuzz {

// Bytes that begin at a multiple of 256.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{256};
  LineAllocator() = default;
  template <class U>
  explicit LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, kAlignment); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};
using Bytes = std::vector<std::byte, LineAllocator<std::byte>>;

// Where the blocks of one pool lie in a stretch.
struct Placement {
  std::vector<std::uint64_t> bases;  // byte of block 0, by layer
  std::uint64_t block_stride = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t num_blocks = 0;

  std::uint64_t begin(std::uint64_t layer, std::uint64_t block) const {
    return bases[layer] + block * block_stride;
  }
};

struct StandardMemory {
  Bytes bytes;
  Placement pages;
};
struct PlanesMemory {
  Bytes bytes;
  Placement key;
  Placement value;
};

// Filled from the case's seed; the two never hold the same bytes.
StandardMemory standard_memory(const ConvertCase& c);
PlanesMemory planes_memory(const ConvertCase& c);

ConvertJob job_of(const ConvertCase& c, StandardMemory& standard, PlanesMemory& planes);

// The oracle's word on it: runs the writer for the case's ids / leaves what the READ leaves.
void write_by_oracle(const ConvertCase& c, const StandardMemory& standard, PlanesMemory& planes);
void land_by_oracle(const ConvertCase& c, const StandardMemory& standard, PlanesMemory& planes);

// The first byte in which two memories of one case differ, and how many do.
struct Difference {
  std::string where;  // "layer=0 block=3 side=V head=0 token=7 dim=65", or "byte 96, outside every block"
  std::byte expected{};
  std::byte got{};
  std::uint64_t count = 0;
  std::uint64_t compared = 0;
};

// Within the listed blocks of every layer.
std::optional<Difference> difference_in(const ConvertCase& c, const PlanesMemory& expected,
                                        const PlanesMemory& got);
std::optional<Difference> difference_in(const ConvertCase& c, const StandardMemory& expected,
                                        const StandardMemory& got);

// Everywhere else: blocks that are not listed, gaps, the bytes around the pools.
std::optional<Difference> difference_outside(const ConvertCase& c, const PlanesMemory& expected,
                                             const PlanesMemory& got);
std::optional<Difference> difference_outside(const ConvertCase& c, const StandardMemory& expected,
                                             const StandardMemory& got);

// Anywhere.
std::optional<Difference> difference(const ConvertCase& c, const PlanesMemory& expected,
                                     const PlanesMemory& got);
std::optional<Difference> difference(const ConvertCase& c, const StandardMemory& expected,
                                     const StandardMemory& got);

}  // namespace pageproof::fuzz
