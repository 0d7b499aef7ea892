// Do the blocks of a job touch each other? A written block must share no byte with any other block; blocks
// that are only read may.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pageproof::convert {

// The listed blocks of one layer of one pool.
struct Region {
  std::uint64_t base;
  std::uint64_t stride;
  std::uint64_t block_bytes;           // at most `stride`
  std::span<const std::uint64_t> ids;  // ascending, at least one
  bool written;
};

// Regions whose extents lie apart cost nothing more; where extents meet (K and V alternate in a two-slot
// page, layers alternate in a block-major pool), the blocks themselves are sorted.
bool any_overlap(std::vector<Region> regions);

}  // namespace pageproof::convert
