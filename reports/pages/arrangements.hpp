// The arrangements that recognise.hpp tries: where each puts an element, and which element it takes from
// there. The orders among them are lines of the digit notation.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/page/plain/shape.hpp"

namespace pageproof::reports {

// Element indices of one block: `to` counts through the K-plane block, then the V-plane block; `from` through
// the standard page.
struct Move {
  std::uint64_t to = 0;
  std::uint64_t from = 0;
};

struct Arrangement {
  std::string text;         // "V is [H, D, N], the classic paged V"
  std::vector<Side> sides;  // of the planes it speaks about
  std::function<Move(const Coordinate&)> move;
};

// Both sides at once: never converted, converted twice, sides exchanged, pages read in another order.
std::vector<Arrangement> whole_arrangements(const Shape& shape);

// One side in another order. Orders that do not tile the shape are left out.
std::vector<Arrangement> side_arrangements(const Shape& shape, Side side);

}  // namespace pageproof::reports
