// The tensors that hold pages of a format, and the pages written into them by the format's own arithmetic.
//
//   standard, other formats of pages        [B, H, N, 2D]
//   aiter-shuffled, sglang-vectorized-5d    [B, H, D/x, N, x] and [B, H, N/x, D, x]
//   other formats of planes                 [B, H, N, D] twice, or once where the format holds K only
//
// Where the axes are not the order (all but standard and the shuffled planes) they give the sizes alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/formats/fixture.hpp"
#include "golden/pages/blocks.hpp"
#include "oracle/offset/engines.hpp"

namespace pageproof::golden::formats {

// "index0.classic-paged.v_plane": by fill, format and region.
std::vector<std::string> tensor_names(const oracle::EngineFormat& format, std::uint64_t shift);

// Of the tensors, in the order of their names.
std::vector<std::vector<std::uint64_t>> tensor_axes(const oracle::EngineFormat& format, const Shape& shape,
                                                    std::uint64_t blocks);

// Standard pages, [B, H, N, 2D], put where the format has each element: one run of bytes a tensor.
std::vector<Bytes> written(const oracle::EngineFormat& format, const Shape& shape, std::uint64_t blocks,
                           std::span<const std::byte> standard);

// The element at a coordinate, in the bytes of the format's tensors.
std::span<const std::byte> element_at(const oracle::EngineFormat& format, const Shape& shape,
                                      std::span<const std::span<const std::byte>> tensors,
                                      const Coordinate& coordinate);

// The first coordinate (blocks, K before V, head, token, dim) at which two pools of the format differ, and
// how many bytes do.
std::optional<Difference> first_difference(const oracle::EngineFormat& format, const Shape& shape,
                                           std::uint64_t blocks,
                                           std::span<const std::span<const std::byte>> expected,
                                           std::span<const std::span<const std::byte>> found);

}  // namespace pageproof::golden::formats
