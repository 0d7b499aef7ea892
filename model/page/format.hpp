// The catalogue: each page format is one line of data, and everything about it (offset, inverse, whether two
// are the same, how to convert one into the other) follows from that line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/digit.hpp"

namespace pageproof::page {

// Where the two sides of a block lie: both in one region (then the side is a digit), or each in its own
// plane.
enum class Regions : std::uint8_t { page, planes };

// What a format asks of a shape beyond the slices tiling its axes.
struct Needs {
  std::uint64_t tokens_multiple = 1;
  std::uint64_t head_dim_multiple = 1;
  std::uint64_t element_bytes = 0;  // 0: any
  bool one_head = false;
};

struct PageFormat {
  std::string tag;   // what names it on a command line and between engines
  DigitOrder key;    // the order of the K side
  DigitOrder value;  // the order of the V side, the same as `key` where one line holds both; empty: K only
  Regions regions;
  std::string readers;  // who reads and writes it
  std::string source;   // where the order is stated
  Needs needs = {};

  bool key_only() const { return value.empty(); }
};

// All formats, in a fixed order.
std::span<const PageFormat> catalogue();

// By tag; an unknown tag is refused with the nearest known ones.
Expected<const PageFormat*> find_format(std::string_view tag);

// Other tags whose orders are the same list: the same bytes under another name.
std::vector<std::string> same_order_as(const PageFormat& format);

// Can pages of this shape have this format? Refused with the rule and the value that breaks it.
Expected<void> fits(const PageFormat& format, const Shape& shape);
// And does it hold this side? A format of K only holds no V.
Expected<void> fits(const PageFormat& format, const Shape& shape, Side side);

// What people call a page format and is no order of slices, with the reason.
struct NotAnOrder {
  std::string_view name;
  std::string_view reason;
  std::string_view source;
};
std::span<const NotAnOrder> not_orders();

// A byte of a format: which of its regions (page formats have one: `region` is then Side::key), and the byte
// offset from that region's base. Block b begins at b · page_bytes (page) or b · side_bytes (planes).
struct Place {
  Side region = Side::key;
  std::uint64_t byte = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

// @pre the shape is checked() and fits() the format; the coordinate lies in it, on a side that the format has
Place locate(const PageFormat& format, const Shape& shape, const Coordinate& coordinate);

// The element that holds a byte; the inverse of locate for the first byte of each element.
Coordinate coordinate_at(const PageFormat& format, const Shape& shape, const Place& place);

// Does the coordinate lie in the shape? Refused with the axis, its value and its bound.
Expected<void> checked(const Coordinate& coordinate, const Shape& shape, const std::string& subject);

// How an offset is folded, for a person: each digit with its value and radix, and the whole arithmetic on one
// line.
struct FoldStep {
  std::string digit;  // "t%16/x"
  std::uint64_t value = 0;
  std::uint64_t radix = 0;  // how many values the digit takes
};
struct Explanation {
  std::vector<FoldStep> steps;  // outermost first
  std::string arithmetic;       // "((2 · 16 + 5) · 2 + 1) · 128 + 7"
  std::uint64_t element = 0;    // its value: the element offset within the block's page or plane
};
Explanation explain(const PageFormat& format, const Shape& shape, const Coordinate& coordinate);

}  // namespace pageproof::page
