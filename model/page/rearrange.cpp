#include "model/page/rearrange.hpp"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

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

// The longest runs that tile a half: every place where the source does not go on divides it. The halves of a
// source in planes are no neighbours.
std::uint32_t run_of(std::span<const std::uint32_t> source_of, Regions from, std::uint64_t side_elements) {
  std::uint64_t run = source_of.size();
  for (std::uint64_t i = 1; i < source_of.size() && run > 1; ++i) {
    const bool goes_on =
        source_of[i] == source_of[i - 1] + 1 && !(from == Regions::planes && source_of[i] == side_elements);
    if (!goes_on) run = std::gcd(run, i);
  }
  return static_cast<std::uint32_t>(run);
}

// Moves one half in runs of kRunBytes; 0 stands for a length known only now.
template <std::size_t kRunBytes>
void move_half(const Rearrangement& map, std::size_t half, const std::byte* const source[2],
               std::byte* destination) {
  const std::size_t element = map.shape.element_bytes;
  const std::size_t side_elements = map.shape.side_bytes() / element;
  const std::size_t run = map.run[half];
  const std::size_t bytes = kRunBytes == 0 ? run * element : kRunBytes;
  const std::uint32_t* from = map.source_of.data() + half * side_elements;
  for (const std::uint32_t* const end = from + side_elements; from < end; from += run) {
    const std::byte* const place =
        *from < side_elements ? source[0] + *from * element : source[1] + (*from - side_elements) * element;
    std::memcpy(destination, place, kRunBytes == 0 ? bytes : kRunBytes);
    destination += bytes;
  }
}

using MoveHalf = void (*)(const Rearrangement&, std::size_t, const std::byte* const[2], std::byte*);

MoveHalf mover_of(std::size_t run_bytes) {
  switch (run_bytes) {
    case 1:
      return move_half<1>;
    case 2:
      return move_half<2>;
    case 4:
      return move_half<4>;
    case 8:
      return move_half<8>;
    case 16:
      return move_half<16>;
    case 32:
      return move_half<32>;
    default:
      return move_half<0>;
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
  Rearrangement map{shape, from.regions, to.regions, std::vector<std::uint32_t>(elements), {1, 1}};
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
  const std::uint64_t side_elements = shape.side_bytes() / shape.element_bytes;
  for (std::size_t half = 0; half < elements / side_elements; ++half) {
    map.run[half] = run_of(std::span(map.source_of).subspan(half * side_elements, side_elements),
                           from.regions, side_elements);
  }
  return map;
}

void apply(const Rearrangement& map, std::span<const std::uint64_t> block_ids, const ConstRegions& source,
           const MutableRegions& destination) {
  const std::size_t halves = map.source_of.size() / (map.shape.side_bytes() / map.shape.element_bytes);
  for (const std::uint64_t block : block_ids) {
    const std::byte* const from[2] = {block_start(source, map.from, map.shape, block, Side::key),
                                      block_start(source, map.from, map.shape, block, Side::value)};
    for (std::size_t half = 0; half < halves; ++half) {
      std::byte* const to =
          block_start(destination, map.to, map.shape, block, half == 0 ? Side::key : Side::value);
      mover_of(map.run[half] * map.shape.element_bytes)(map, half, from, to);
    }
  }
}

}  // namespace pageproof::page
