#include "model/page/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "model/page/fold.hpp"
#include "model/page/spoken.hpp"

namespace pageproof::page {
namespace {

struct Line {
  std::string_view tag;
  std::string_view key;
  std::string_view value;  // empty: the line of `key` holds both sides
  std::string_view readers;
  std::string_view source;
};

// The catalogue itself.
constexpr Line kLines[] = {
    {"standard", "h t s d", "",
     "every vLLM backend on packed pages under LBHNC (HND): FLASH_ATTN, TRITON_ATTN, "
     "ROCM_AITER_UNIFIED_ATTN, "
     "unshuffled ROCM_AITER_FA",
     "vLLM #44455: K and V side by side in the content of one (head, token)"},
    {"aiter-shuffled", "h d/x t d%x", "h t/x d t%x",
     "AITER decode: asm and ll4mi (16- and 32-token pages), gluon (128-token pages)",
     "vLLM #29887, #43660: reshape_and_cache_shuffle_triton"},
};

PageFormat built(const Line& line) {
  const auto order = [](std::string_view text) {
    Expected<DigitOrder> parsed = parse_order(text);
    assert(parsed.has_value());
    return *std::move(parsed);
  };
  const bool page = line.value.empty();
  return {std::string(line.tag),
          order(line.key),
          order(page ? line.key : line.value),
          page ? Regions::page : Regions::planes,
          std::string(line.readers),
          std::string(line.source)};
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

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

std::span<const PageFormat> catalogue() {
  static const std::vector<PageFormat> formats = [] {
    std::vector<PageFormat> all;
    for (const Line& line : kLines) all.push_back(built(line));
    return all;
  }();
  return formats;
}

Expected<const PageFormat*> find_format(std::string_view tag) {
  const std::span<const PageFormat> formats = catalogue();
  const auto found = std::ranges::find(formats, tag, &PageFormat::tag);
  if (found != formats.end()) return &*found;
  const auto nearest = std::ranges::min_element(
      formats, {}, [&](const PageFormat& format) { return edit_distance(tag.substr(0, 64), format.tag); });
  return std::unexpected(Error{"format", "tag", std::string(tag),
                               fmt::format("no such page format; did you mean {}?", nearest->tag)});
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
