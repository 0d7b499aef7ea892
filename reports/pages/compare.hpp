// Do the planes hold what the oracle says they must, given the standard pages and the slots that were
// written? The oracle's arithmetic is run once for a block and kept as a map; every block is then gathered
// through the map and compared byte for byte.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reports/pages/pages.hpp"
#include "reports/pages/slots.hpp"

namespace pageproof::reports {

// For one block, as element indices: element i of the planes (K plane block, then V plane block) is element
// source_of[i] of the standard page.
struct BlockMap {
  std::uint64_t element_bytes = 0;
  std::vector<std::uint32_t> source_of;

  std::uint64_t side_elements() const { return source_of.size() / 2; }
};

// By the oracle. Refused where a page has 2^32 elements or more.
Expected<BlockMap> oracle_map(const Shape& shape, const std::string& subject);

struct CheckedPages {
  Pool pool;
  std::span<const std::byte> pages;
  std::span<const std::byte> keys;
  std::span<const std::byte> values;

  std::span<const std::byte> page(std::uint64_t block) const {
    return pages.subspan(block * pool.shape.page_bytes(), pool.shape.page_bytes());
  }
  std::span<const std::byte> half(Side side, std::uint64_t block) const {
    const std::span<const std::byte> plane = side == Side::key ? keys : values;
    return plane.subspan(block * pool.shape.side_bytes(), pool.shape.side_bytes());
  }
};

struct Differing {
  std::uint64_t bytes = 0;
  std::uint64_t elements = 0;
  std::uint64_t blocks = 0;
};

// The first in coordinate order, at its first differing byte.
struct FirstDifference {
  Coordinate coordinate;
  std::uint64_t plane_byte = 0;     // from the base of k_plane or v_plane
  std::uint64_t standard_byte = 0;  // of the same byte, from the base of standard
  bool written = true;              // false: a slot that must hold the unwritten byte
  std::byte expected{};
  std::byte got{};
};

struct Comparison {
  std::array<Differing, 2> differ;  // by side
  std::uint64_t compared_bytes = 0;
  std::optional<FirstDifference> first;

  const Differing& of(Side side) const { return differ[static_cast<std::size_t>(side)]; }
};

Comparison compare(const CheckedPages& checked, const Slots& slots, const BlockMap& map);

}  // namespace pageproof::reports
