// The offset of an element is one Horner fold over the digits of its format; the inverse is one unfold. Both
// are templates over the number type, so that one definition has several readers: std::uint64_t computes, a
// symbolic number is what a solver proves, and Spoken (spoken.hpp) explains itself.
//
//   fold   ((d0 · r1 + d1) · r2 + d2) ...        unfold   repeated division by the radices, innermost first
//
// A Number has +, * and a `split(value, radix)` found by argument-dependent lookup.
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "model/page/digit.hpp"

namespace pageproof::page {

template <class Number>
struct Split {
  Number quotient;
  Number remainder;
};

// value = quotient · radix + remainder with 0 <= remainder < radix.
constexpr Split<std::uint64_t> split(std::uint64_t value, std::uint64_t radix) {
  return {value / radix, value % radix};
}

// What the granularities stand for: the length of each axis (side: 2) and x.
template <class Number>
struct Sizes {
  std::array<Number, kAxes> axis;
  Number x;
};

// A value per axis: where in a page an element lies.
template <class Number>
using AxisValues = std::array<Number, kAxes>;

constexpr Sizes<std::uint64_t> sizes_of(const Shape& shape) {
  return {{shape.heads, shape.tokens, 2, shape.head_dim}, shape.granule_elements()};
}

template <class Number>
Number size_of(const Granularity& granularity, Axis axis, const Sizes<Number>& sizes) {
  switch (granularity.kind) {
    case Granularity::Kind::x:
      return sizes.x;
    case Granularity::Kind::whole:
      return sizes.axis[static_cast<std::size_t>(axis)];
    case Granularity::Kind::number:
      break;
  }
  return Number(granularity.number);
}

// How many values a digit takes: high / low, exact where the order tiles.
template <class Number>
Number radix_of(const Digit& digit, const Sizes<Number>& sizes) {
  return split(size_of(digit.high, digit.axis, sizes), size_of(digit.low, digit.axis, sizes)).quotient;
}

template <class Number>
std::vector<Number> radices_of(std::span<const Digit> order, const Sizes<Number>& sizes) {
  std::vector<Number> radices;
  for (const Digit& digit : order) radices.push_back(radix_of(digit, sizes));
  return radices;
}

// The digits of a place: (value mod high) div low of each slice.
template <class Number>
std::vector<Number> digits_of(std::span<const Digit> order, const Sizes<Number>& sizes,
                              const AxisValues<Number>& place) {
  std::vector<Number> digits;
  for (const Digit& digit : order) {
    const Number& value = place[static_cast<std::size_t>(digit.axis)];
    const Number within = split(value, size_of(digit.high, digit.axis, sizes)).remainder;
    digits.push_back(split(within, size_of(digit.low, digit.axis, sizes)).quotient);
  }
  return digits;
}

// @pre  digits[i] < radices[i]; both name the same order, outermost first
// @post the element offset; unfold(fold(d, r), r) = d
template <class Number>
Number fold(std::span<const Number> digits, std::span<const Number> radices) {
  assert(!digits.empty() && digits.size() == radices.size());
  Number offset = digits[0];
  for (std::size_t i = 1; i < digits.size(); ++i) offset = offset * radices[i] + digits[i];
  return offset;
}

// @pre  offset < product of the radices
// @post fold(unfold(o, r), r) = o
template <class Number>
std::vector<Number> unfold(Number offset, std::span<const Number> radices) {
  std::vector<Number> digits(radices.begin(), radices.end());
  for (std::size_t i = radices.size(); i-- > 1;) {
    const Split<Number> parts = split(offset, radices[i]);
    digits[i] = parts.remainder;
    offset = parts.quotient;
  }
  digits[0] = offset;
  return digits;
}

// The place whose digits these are: per axis the sum of digit · low. An axis that the order lacks stays as in
// `base`.
template <class Number>
AxisValues<Number> place_of(std::span<const Digit> order, const Sizes<Number>& sizes,
                            std::span<const Number> digits, AxisValues<Number> base) {
  for (const Digit& digit : order) base[static_cast<std::size_t>(digit.axis)] = Number(0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    Number& value = base[static_cast<std::size_t>(order[i].axis)];
    value = value + digits[i] * size_of(order[i].low, order[i].axis, sizes);
  }
  return base;
}

}  // namespace pageproof::page
