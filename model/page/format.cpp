#include "model/page/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "model/page/fold.hpp"
#include "model/page/spoken.hpp"

namespace pageproof::page {
namespace {

const DigitOrder& order_of(const PageFormat& format, Side side) {
  return side == Side::key ? format.key : format.value;
}

AxisValues<std::uint64_t> axis_values(const Coordinate& c) {
  return {c.head, c.token, static_cast<std::uint64_t>(c.side), c.dim};
}

// Bytes from one block of a region to the next.
std::uint64_t block_bytes(const PageFormat& format, const Shape& shape) {
  return format.regions == Regions::page ? shape.page_bytes() : shape.side_bytes();
}

}  // namespace

Expected<void> fits(const PageFormat& format, const Shape& shape) {
  const auto refuse = [&](const char* field, std::uint64_t value, std::string rule) {
    return std::unexpected(Error{"format " + format.tag, field, std::to_string(value), std::move(rule)});
  };
  const Needs& needs = format.needs;
  if (needs.one_head && shape.heads != 1) {
    return refuse("heads", shape.heads, "this format has one head");
  }
  if (needs.element_bytes != 0 && shape.element_bytes != needs.element_bytes) {
    return refuse("element_bytes", shape.element_bytes,
                  fmt::format("this format has elements of {} B", needs.element_bytes));
  }
  if (shape.tokens % needs.tokens_multiple != 0) {
    return refuse("tokens", shape.tokens, fmt::format("not a multiple of {}", needs.tokens_multiple));
  }
  if (shape.head_dim % needs.head_dim_multiple != 0) {
    return refuse("head_dim", shape.head_dim, fmt::format("not a multiple of {}", needs.head_dim_multiple));
  }
  for (const DigitOrder* order : {&format.key, &format.value}) {
    if (order->empty()) continue;
    const auto tiled = tiles(*order, shape, format.regions == Regions::page, "format " + format.tag);
    if (!tiled) return tiled;
  }
  return {};
}

Expected<void> fits(const PageFormat& format, const Shape& shape, Side side) {
  if (side == Side::value && format.key_only()) {
    return std::unexpected(
        Error{"format " + format.tag, "side", to_string(side), "this format holds K only"});
  }
  return fits(format, shape);
}

Place locate(const PageFormat& format, const Shape& shape, const Coordinate& coordinate) {
  const DigitOrder& order = order_of(format, coordinate.side);
  const Sizes<std::uint64_t> sizes = sizes_of(shape);
  const std::vector<std::uint64_t> digits = digits_of<std::uint64_t>(order, sizes, axis_values(coordinate));
  const std::uint64_t element = fold<std::uint64_t>(digits, radices_of<std::uint64_t>(order, sizes));
  return {format.regions == Regions::page ? Side::key : coordinate.side,
          coordinate.block * block_bytes(format, shape) + element * shape.element_bytes};
}

Coordinate coordinate_at(const PageFormat& format, const Shape& shape, const Place& place) {
  const std::uint64_t block = place.byte / block_bytes(format, shape);
  const std::uint64_t element = place.byte % block_bytes(format, shape) / shape.element_bytes;
  const Sizes<std::uint64_t> sizes = sizes_of(shape);
  const auto unfolded = [&](Side side) {
    const DigitOrder& order = order_of(format, side);
    const std::vector<std::uint64_t> digits =
        unfold<std::uint64_t>(element, radices_of<std::uint64_t>(order, sizes));
    return place_of<std::uint64_t>(order, sizes, digits, axis_values({.side = side}));
  };
  AxisValues<std::uint64_t> values = unfolded(place.region);
  // In a page the side is a digit; where the V order differs from the K order, read the byte again as V.
  const auto side_of = [](const AxisValues<std::uint64_t>& v) {
    return static_cast<Side>(v[static_cast<std::size_t>(Axis::side)]);
  };
  if (side_of(values) != place.region) values = unfolded(Side::value);
  return {block, side_of(values), values[0], values[1], values[3]};
}

Expected<void> checked(const Coordinate& coordinate, const Shape& shape, const std::string& subject) {
  const std::pair<const char*, std::pair<std::uint64_t, std::uint64_t>> axes[] = {
      {"head", {coordinate.head, shape.heads}},
      {"token", {coordinate.token, shape.tokens}},
      {"dim", {coordinate.dim, shape.head_dim}},
  };
  for (const auto& [name, bound] : axes) {
    if (bound.first >= bound.second) {
      return std::unexpected(
          Error{subject, name, std::to_string(bound.first), fmt::format("not below {}", bound.second)});
    }
  }
  if (coordinate.block > (UINT64_MAX - shape.page_bytes()) / shape.page_bytes()) {
    return std::unexpected(
        Error{subject, "block", std::to_string(coordinate.block), "its byte offset does not fit 64 bits"});
  }
  return {};
}

Explanation explain(const PageFormat& format, const Shape& shape, const Coordinate& coordinate) {
  const DigitOrder& order = order_of(format, coordinate.side);
  const Sizes<std::uint64_t> plain = sizes_of(shape);
  const AxisValues<std::uint64_t> place = axis_values(coordinate);
  const auto spoken = [](std::uint64_t value) { return Spoken(value); };
  const Sizes<Spoken> sizes{
      {spoken(plain.axis[0]), spoken(plain.axis[1]), spoken(plain.axis[2]), spoken(plain.axis[3])},
      spoken(plain.x)};
  const std::vector<Spoken> digits = digits_of<Spoken>(
      order, sizes, {spoken(place[0]), spoken(place[1]), spoken(place[2]), spoken(place[3])});
  const std::vector<Spoken> radices = radices_of<Spoken>(order, sizes);
  const Spoken folded = fold<Spoken>(digits, radices);
  Explanation explanation{{}, folded.text, folded.value};
  for (std::size_t i = 0; i < order.size(); ++i) {
    explanation.steps.push_back({to_string(order[i]), digits[i].value, radices[i].value});
  }
  return explanation;
}

}  // namespace pageproof::page
