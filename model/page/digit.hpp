// A page format is an order of digits, written as one line. A digit is a slice of an axis: "t%16/x" is
// (t mod 16) div x. The line lists the digits outermost first:
//
//   standard page       h t s d                  [H, N, 2, D]
//   shuffled K plane    h d/x t d%x              [H, D/x, N, x]
//   shuffled V plane    h t/x d t%x              [H, N/x, D, x]
//
// Axes: h head, t token, s side, d dim. A granularity is a number, or x, the elements of a 16-byte granule.
// Per axis the slices of an order tile the whole axis: each begins where another ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::page {

enum class Axis : std::uint8_t { head, token, side, dim };
inline constexpr std::size_t kAxes = 4;

// How fine a slice cuts its axis: into single elements (1), runs of a number, of x, or not at all (whole).
struct Granularity {
  enum class Kind : std::uint8_t { number, x, whole };
  Kind kind = Kind::number;
  std::uint64_t number = 1;

  static constexpr Granularity one() { return {}; }
  static constexpr Granularity x() { return {Kind::x, 0}; }
  static constexpr Granularity whole() { return {Kind::whole, 0}; }
  friend bool operator==(const Granularity&, const Granularity&) = default;
};

// "t%16/x": axis t, high 16, low x. Without % the slice reaches the whole axis, without / single elements.
struct Digit {
  Axis axis = Axis::head;
  Granularity low = Granularity::one();
  Granularity high = Granularity::whole();

  friend bool operator==(const Digit&, const Digit&) = default;
};

using DigitOrder = std::vector<Digit>;

// Reads "h d/x t d%x". Refused with the offending word: an unknown axis, a granularity of 0, an empty line.
Expected<DigitOrder> parse_order(std::string_view line);

std::string to_string(Axis axis);
std::string to_string(const Digit& digit);
std::string to_string(const DigitOrder& order);

// Neighbouring slices of one axis that continue each other become one: "t/x t%x" is "t". Two orders are the
// same format exactly when their normal forms are the same list.
DigitOrder normal_form(const DigitOrder& order);

// Do the slices of each axis tile it for this shape? The side is an axis of the order only where both sides
// of a block lie in one region (`has_side`). Refused with the axis and the sizes that do not chain.
Expected<void> tiles(const DigitOrder& order, const Shape& shape, bool has_side, const std::string& subject);

bool has_side(const DigitOrder& order);

}  // namespace pageproof::page
