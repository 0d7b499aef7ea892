// Laws of a statement about where elements lie, over every coordinate of a shape. The statement is a
// parameter: the digit order, the oracle's arithmetic and a mutant are all read the same way.
//
//   const auto broken = one_place_each(statement, shape);     // "" where the law holds, else the first break
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/generate/convert_case.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::laws {

// The element index of a coordinate from the base of its region: pages of both sides, or the side's plane.
struct Statement {
  std::function<std::uint64_t(const Shape&, const Coordinate&)> element;
  bool one_region = false;  // both sides in one page
};

// Every small shape that the generator of the properties makes of this extent: x = 8 and 16, one head, odd
// and even counts, N and D that are multiples of x and no power of two, and the converter's.
inline std::vector<Shape> shapes() {
  const fuzz::Extent extent{.heads = 5,
                            .token_granules = 3,
                            .head_dim_granules = 5,
                            .fast_share = 1,
                            .fast_head_dims = 2,
                            .page_bytes = {std::uint64_t{1} << 20}};
  std::vector<Shape> all;
  fuzz::for_every_case([&](fuzz::Choices& choices) {
    const Shape shape = fuzz::make_shape(choices, extent);
    if (std::ranges::find(all, shape) == all.end()) all.push_back(shape);
    return true;
  });
  return all;
}

template <class Visit>
void each_coordinate(const Shape& shape, const Visit& visit, std::uint64_t block = 0) {
  for (const Side side : {Side::key, Side::value}) {
    for (std::uint64_t head = 0; head < shape.heads; ++head) {
      for (std::uint64_t token = 0; token < shape.tokens; ++token) {
        for (std::uint64_t dim = 0; dim < shape.head_dim; ++dim) {
          visit(Coordinate{block, side, head, token, dim});
        }
      }
    }
  }
}

// Every element lies in its region, and no two in one place.
inline std::string one_place_each(const Statement& statement, const Shape& shape) {
  const std::uint64_t side_elements = shape.side_bytes() / shape.element_bytes;
  std::array<std::vector<bool>, 2> taken;
  taken.fill(std::vector<bool>(statement.one_region ? 2 * side_elements : side_elements));
  std::string broken;
  each_coordinate(shape, [&](const Coordinate& c) {
    if (!broken.empty()) return;
    const std::size_t region = statement.one_region ? 0 : static_cast<std::size_t>(c.side);
    const std::uint64_t element = statement.element(shape, c);
    if (element >= taken[region].size()) {
      broken = fmt::format("{} {}: element {} is out of range", to_string(shape), to_string(c), element);
    } else if (taken[region][element]) {
      broken = fmt::format("{} {}: element {} is taken", to_string(shape), to_string(c), element);
    } else {
      taken[region][element] = true;
    }
  });
  return broken;
}

inline std::string same(const Statement& a, const Statement& b, const Shape& shape) {
  std::string broken;
  each_coordinate(shape, [&](const Coordinate& c) {
    if (!broken.empty() || a.element(shape, c) == b.element(shape, c)) return;
    broken = fmt::format("{} {}: {} and {}", to_string(shape), to_string(c), a.element(shape, c),
                         b.element(shape, c));
  });
  return broken;
}

// The first break of a law over all shapes; empty where it holds.
template <class Law>
std::string over_all_shapes(const Law& law) {
  for (const Shape& shape : shapes()) {
    if (std::string broken = law(shape); !broken.empty()) return broken;
  }
  return {};
}

}  // namespace pageproof::laws
