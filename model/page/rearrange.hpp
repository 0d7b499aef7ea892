// Converts pages from one catalogue format into another through the fold: slow to set up, right for every
// shape. The map is made once for a shape and applied to every block; elements that stay neighbours move
// together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/page/format.hpp"

namespace pageproof::page {

// Bytes of a pool in a format, by region: a page format uses `first` alone (all pages), planes use both (K,
// V).
struct ConstRegions {
  std::span<const std::byte> first;
  std::span<const std::byte> second;
};
struct MutableRegions {
  std::span<std::byte> first;
  std::span<std::byte> second;
};

// For one block: element i of the destination (its sides, the regions in a row) is element source_of[i] of
// the source. Formats that hold K only have the elements of one side. In each half of the destination, S
// bytes, elements move in runs of run[half]: a run begins at a multiple of its length, and its elements are
// neighbours in the source too.
struct Rearrangement {
  Shape shape;
  Regions from = Regions::page;
  Regions to = Regions::page;
  std::vector<std::uint32_t> source_of;
  std::array<std::uint32_t, 2> run{1, 1};
};

// Refused when the shape does not fit a format, when one format holds no V and the other does, or when a page
// has 2^32 elements or more.
Expected<Rearrangement> rearrangement(const PageFormat& from, const PageFormat& to, const Shape& shape);

// @pre block ids below the block counts of both pools. Blocks that are not listed keep their bytes.
void apply(const Rearrangement& map, std::span<const std::uint64_t> block_ids, const ConstRegions& source,
           const MutableRegions& destination);

}  // namespace pageproof::page
