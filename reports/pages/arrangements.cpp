#include "reports/pages/arrangements.hpp"

#include <fmt/format.h>

#include <cassert>
#include <span>
#include <utility>

#include "model/page/format.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::reports {
namespace {

struct OrderLine {
  const char* line;
  const char* text;
};

// Pages that hold both sides, other than `h t s d`.
constexpr OrderLine kPageOrders[] = {
    {"t h s d", "standard is read as [N, H, 2, D], the NHD page"},
    {"h s t d", "standard is read as [H, 2, N, D], each head's K before its V"},
    {"s h t d", "standard is read as [2, H, N, D], K before V"},
};
constexpr OrderLine kKeyOrders[] = {
    {"h t d", "[H, N, D], in token order, not shuffled"},
    {"t h d", "[N, H, D], in token order, not shuffled (NHD)"},
    {"h d t", "[H, D, N], transposed"},
    {"h t/x d t%x", "[H, N/x, D, x], the order of V"},
    {"h d/8 t d%8", "[H, D/8, N, 8], with the x of 2-byte elements"},
    {"h d/16 t d%16", "[H, D/16, N, 16], with the x of 1-byte elements"},
    {"t/16 h d/x t%16 d%x", "in pages of 16 tokens within the block"},
};
constexpr OrderLine kValueOrders[] = {
    {"h t d", "[H, N, D], in token order, not shuffled"},
    {"t h d", "[N, H, D], in token order, not shuffled (NHD)"},
    {"h d t", "[H, D, N], the classic paged V"},
    {"h d/x t d%x", "[H, D/x, N, x], the order of K"},
    {"h t/8 d t%8", "[H, N/8, D, 8], with the x of 2-byte elements"},
    {"h t/16 d t%16", "[H, N/16, D, 16], with the x of 1-byte elements"},
    {"t/16 h t%16/x d t%x", "in pages of 16 tokens within the block"},
};

page::DigitOrder order_of(const OrderLine& line) {
  auto order = page::parse_order(line.line);
  assert(order.has_value());
  return *std::move(order);
}

constexpr Side other(Side side) {
  return side == Side::key ? Side::value : Side::key;
}

std::uint64_t page_elements(const Shape& shape) {
  return shape.page_bytes() / shape.element_bytes;
}

// Where the oracle puts the element in the two planes of block 0, and where it lies in the page.
std::uint64_t shuffled(const Shape& shape, const Coordinate& c) {
  const std::uint64_t before = c.side == Side::value ? page_elements(shape) / 2 : 0;
  return before + oracle::shuffled_byte(shape, c) / shape.element_bytes;
}
std::uint64_t standard(const Shape& shape, const Coordinate& c) {
  return oracle::standard_byte(shape, c) / shape.element_bytes;
}

}  // namespace

std::vector<Arrangement> whole_arrangements(const Shape& shape) {
  const std::vector<Side> both{Side::key, Side::value};
  std::vector<Arrangement> all;
  const auto add = [&](std::string text, std::function<Move(const Coordinate&)> move) {
    all.push_back({std::move(text), both, std::move(move)});
  };
  add("the planes hold the page's byte halves: landed, but never converted",
      [shape](const Coordinate& c) { return Move{standard(shape, c), standard(shape, c)}; });
  add("converted twice: the planes were taken for a landing and converted again",
      [shape](const Coordinate& c) {
        static const page::PageFormat* const format = *page::find_format("standard");
        const std::uint64_t page_byte = shuffled(shape, c) * shape.element_bytes;
        const Coordinate again = page::coordinate_at(*format, shape, {Side::key, page_byte});
        return Move{shuffled(shape, again), standard(shape, c)};
      });
  add("K and V are swapped: each plane holds the other side, shuffled in that side's order",
      [shape](const Coordinate& c) {
        return Move{(shuffled(shape, c) + page_elements(shape) / 2) % page_elements(shape),
                    standard(shape, c)};
      });
  add("K and V are swapped: each plane holds the other side, shuffled in the plane's own order",
      [shape](const Coordinate& c) {
        const Coordinate there{c.block, other(c.side), c.head, c.token, c.dim};
        return Move{shuffled(shape, there), standard(shape, c)};
      });
  for (const OrderLine& line : kPageOrders) {
    const page::PageFormat format{"", order_of(line), order_of(line), page::Regions::page, "", ""};
    add(line.text, [shape, format](const Coordinate& c) {
      return Move{shuffled(shape, c), page::locate(format, shape, c).byte / shape.element_bytes};
    });
  }
  return all;
}

std::vector<Arrangement> side_arrangements(const Shape& shape, Side side) {
  const std::span<const OrderLine> lines = side == Side::key ? kKeyOrders : kValueOrders;
  const std::uint64_t before = side == Side::value ? page_elements(shape) / 2 : 0;
  std::vector<Arrangement> all;
  for (const OrderLine& line : lines) {
    const page::PageFormat format{"", order_of(line), order_of(line), page::Regions::planes, "", ""};
    if (!page::tiles(format.key, shape, false, line.line)) continue;
    all.push_back({fmt::format("{} is {}", to_string(side), line.text),
                   {side},
                   [shape, format, before](const Coordinate& c) {
                     const std::uint64_t plane_byte = page::locate(format, shape, c).byte;
                     return Move{before + plane_byte / shape.element_bytes, standard(shape, c)};
                   }});
  }
  return all;
}

}  // namespace pageproof::reports
