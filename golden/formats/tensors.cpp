#include "golden/formats/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pageproof::golden::formats {
namespace {

using oracle::EngineFormat;
using Axes = std::vector<std::uint64_t>;

// The two tags whose order the axes of the planes can say.
bool has_shuffled_axes(const EngineFormat& format) {
  return format.tag == "aiter-shuffled" || format.tag == "sglang-vectorized-5d";
}

// Which tensor holds this side.
std::size_t region_of(const EngineFormat& format, Side side) {
  return side == Side::value && !format.one_region ? 1 : 0;
}

// Blocks, then K before V, head, token, dim.
template <class Use>
void for_each_element(const EngineFormat& format, const Shape& shape, std::uint64_t blocks, Use use) {
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (const Side side : {Side::key, Side::value}) {
      if (side == Side::value && format.key_only) continue;
      for (std::uint64_t head = 0; head < shape.heads; ++head) {
        for (std::uint64_t token = 0; token < shape.tokens; ++token) {
          for (std::uint64_t dim = 0; dim < shape.head_dim; ++dim) use({block, side, head, token, dim});
        }
      }
    }
  }
}

}  // namespace

std::vector<std::string> tensor_names(const EngineFormat& format, std::uint64_t shift) {
  const std::string prefix = fmt::format("index{}.{}", shift, format.tag);
  if (format.tag == "standard") return {prefix};
  if (format.one_region) return {prefix + ".pages"};
  if (format.key_only) return {prefix + ".k_plane"};
  return {prefix + ".k_plane", prefix + ".v_plane"};
}

std::vector<Axes> tensor_axes(const EngineFormat& format, const Shape& shape, std::uint64_t blocks) {
  const auto& [H, N, D, e] = shape;
  const std::uint64_t x = shape.granule_elements();
  if (format.one_region) return {{blocks, H, N, 2 * D}};
  if (has_shuffled_axes(format)) return {{blocks, H, D / x, N, x}, {blocks, H, N / x, D, x}};
  const Axes rows{blocks, H, N, D};
  return format.key_only ? std::vector<Axes>{rows} : std::vector<Axes>{rows, rows};
}

std::vector<Bytes> written(const EngineFormat& format, const Shape& shape, std::uint64_t blocks,
                           std::span<const std::byte> standard) {
  const std::size_t regions = format.one_region || format.key_only ? 1 : 2;
  std::vector<Bytes> tensors(regions, Bytes(blocks * format.block_bytes(shape), kSentinel));
  for_each_element(format, shape, blocks, [&](const Coordinate& c) {
    std::ranges::copy(standard.subspan(oracle::standard_byte(shape, c), shape.element_bytes),
                      tensors[region_of(format, c.side)].data() + format.byte(shape, c));
  });
  return tensors;
}

std::span<const std::byte> element_at(const EngineFormat& format, const Shape& shape,
                                      std::span<const std::span<const std::byte>> tensors,
                                      const Coordinate& coordinate) {
  return tensors[region_of(format, coordinate.side)].subspan(format.byte(shape, coordinate),
                                                             shape.element_bytes);
}

std::optional<Difference> first_difference(const EngineFormat& format, const Shape& shape,
                                           std::uint64_t blocks,
                                           std::span<const std::span<const std::byte>> expected,
                                           std::span<const std::span<const std::byte>> found) {
  Difference difference;
  for_each_element(format, shape, blocks, [&](const Coordinate& c) {
    const auto right = element_at(format, shape, expected, c);
    const auto other = element_at(format, shape, found, c);
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (right[i] == other[i]) continue;
      if (difference.bytes++ == 0) difference.first = c;
    }
  });
  if (difference.bytes == 0) return std::nullopt;
  return difference;
}

}  // namespace pageproof::golden::formats
