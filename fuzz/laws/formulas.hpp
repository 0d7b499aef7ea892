// The element offset of each page format of the catalogue as its source states it, written out by hand: index
// arithmetic over H, N, D and x, with no digit order in it.
#pragma once

#include <cstdint>
#include <string_view>

namespace pageproof::fuzz {

// Sizes and the coordinate: side 0 is K, 1 is V.
struct At {
  std::uint64_t H, N, D, x;
  std::uint64_t s, h, t, d;
};

// Elements from the base of the block's page, or of its plane.
using Formula = std::uint64_t (*)(const At&);

// Null for a tag that has none.
Formula formula_of(std::string_view tag);

}  // namespace pageproof::fuzz
