// What the standard pages of a fixture hold.
//
//   index  element i of [B, H, N, 2D] holds i >> shift, cut to its size: a wrong byte says where it came
//   from.
//          Shifts 0, 16 (2-byte elements) or 0, 8, 16 (1-byte) together give the whole index. Where the bits
//          of a shift do not tell K from V ((D >> shift) cut to size is 0), V elements hold the complement: K
//          is never V.
//   bits   2-byte elements: any 65,536 consecutive ones hold every bit pattern once, NaNs and infinities
//   included;
//          1-byte: every pattern, in an order without a short period.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/pages/blocks.hpp"

namespace pageproof::golden {

// [blocks, H, N, 2D] elements, little endian.
Bytes fill_pages(const Fill& fill, const Shape& shape, std::uint64_t blocks);

// The index fills that together tell all elements of [blocks, H, N, 2D] apart.
std::vector<Fill> index_fills(const Shape& shape, std::uint64_t blocks);

bool holds_every_bit_pattern(std::span<const std::byte> bytes, std::uint64_t element_bytes);

}  // namespace pageproof::golden
