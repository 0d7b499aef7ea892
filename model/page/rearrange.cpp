#include "model/page/rearrange.hpp"

#include <fmt/format.h>

#include <cstring>

#include "model/page/fold.hpp"

namespace pageproof::page {
namespace {

// Element positions within a block whose regions are laid end to end: K plane, then V plane. A digit reads
// one axis, and the fold adds digits times fixed weights, so a position is a sum with one term an axis;
// `locate` gives every term.
class Positions {
 public:
  Positions(const PageFormat& format, const Shape& shape, Side side)
      : first_(of(format, shape, {.side = side})) {
    for (std::uint64_t h = 0; h < shape.heads; ++h) {
      heads_.push_back(of(format, shape, {.side = side, .head = h}) - first_);
    }
    for (std::uint64_t t = 0; t < shape.tokens; ++t) {
      tokens_.push_back(of(format, shape, {.side = side, .token = t}) - first_);
    }
    for (std::uint64_t d = 0; d < shape.head_dim; ++d) {
      dims_.push_back(of(format, shape, {.side = side, .dim = d}) - first_);
    }
  }

  std::uint64_t at(std::uint64_t head, std::uint64_t token, std::uint64_t dim) const {
    return first_ + heads_[head] + tokens_[token] + dims_[dim];
  }

 private:
  static std::uint64_t of(const PageFormat& format, const Shape& shape, const Coordinate& coordinate) {
    const Place place = locate(format, shape, coordinate);
    const std::uint64_t before = place.region == Side::value ? shape.side_bytes() : 0;
    return (before + place.byte) / shape.element_bytes;
  }

  std::uint64_t first_;
  std::vector<std::uint64_t> heads_, tokens_, dims_;
};

template <class Bytes>
auto* block_start(const Bytes& regions, Regions kind, const Shape& shape, std::uint64_t block, Side half) {
  if (kind == Regions::page) {
    return regions.first.data() + block * shape.page_bytes() + (half == Side::value ? shape.side_bytes() : 0);
  }
  return (half == Side::key ? regions.first : regions.second).data() + block * shape.side_bytes();
}

template <std::size_t kElementBytes>
void move_block(const Rearrangement& map, const std::byte* const source[2], std::byte* const destination[2]) {
  const std::size_t side_elements = map.shape.heads * map.shape.tokens * map.shape.head_dim;
  const std::size_t halves = map.source_of.size() / side_elements;
  for (std::size_t half = 0; half < halves; ++half) {
    for (std::size_t i = 0; i < side_elements; ++i) {
      const std::size_t from = map.source_of[half * side_elements + i];
      const std::byte* element = from < side_elements ? source[0] + from * kElementBytes
                                                      : source[1] + (from - side_elements) * kElementBytes;
      std::memcpy(destination[half] + i * kElementBytes, element, kElementBytes);
    }
  }
}

}  // namespace

Expected<Rearrangement> rearrangement(const PageFormat& from, const PageFormat& to, const Shape& shape) {
  for (const PageFormat* format : {&from, &to}) {
    if (const auto fitting = fits(*format, shape); !fitting) return std::unexpected(fitting.error());
  }
  if (from.key_only() != to.key_only()) {
    return std::unexpected(Error{"format", "sides", fmt::format("{} and {}", from.tag, to.tag),
                                 "one of them holds no V, so they do not hold the same elements"});
  }
  const std::uint64_t block_bytes = to.key_only() ? shape.side_bytes() : shape.page_bytes();
  const std::uint64_t elements = block_bytes / shape.element_bytes;
  if (elements > UINT32_MAX) {
    return std::unexpected(Error{"shape", "page", to_string(shape), "a page has 2^32 elements or more"});
  }
  Rearrangement map{shape, from.regions, to.regions, std::vector<std::uint32_t>(elements)};
  for (const Side side : {Side::key, Side::value}) {
    if (side == Side::value && to.key_only()) break;
    const Positions source(from, shape, side);
    const Positions destination(to, shape, side);
    for (std::uint64_t head = 0; head < shape.heads; ++head) {
      for (std::uint64_t token = 0; token < shape.tokens; ++token) {
        for (std::uint64_t dim = 0; dim < shape.head_dim; ++dim) {
          map.source_of[destination.at(head, token, dim)] =
              static_cast<std::uint32_t>(source.at(head, token, dim));
        }
      }
    }
  }
  return map;
}

void apply(const Rearrangement& map, std::span<const std::uint64_t> block_ids, const ConstRegions& source,
           const MutableRegions& destination) {
  for (const std::uint64_t block : block_ids) {
    const std::byte* const from[2] = {block_start(source, map.from, map.shape, block, Side::key),
                                      block_start(source, map.from, map.shape, block, Side::value)};
    std::byte* const to[2] = {block_start(destination, map.to, map.shape, block, Side::key),
                              block_start(destination, map.to, map.shape, block, Side::value)};
    if (map.shape.element_bytes == 1) {
      move_block<1>(map, from, to);
    } else {
      move_block<2>(map, from, to);
    }
  }
}

}  // namespace pageproof::page
