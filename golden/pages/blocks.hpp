// Listed blocks and the pools they lie in.
//
//   pool = in_pool(rows, {.num_blocks = 300, .block_ids = {299, 3}}, block_bytes)     sentinel elsewhere
//   rows = rows_of(pool, {299, 3}, block_bytes)                                        and back
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "golden/pages/fixture.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::golden {

using Bytes = std::vector<std::byte>;

// Both shuffled (or landed) planes, dense.
struct PlaneBytes {
  Bytes key;
  Bytes value;

  friend bool operator==(const PlaneBytes&, const PlaneBytes&) = default;
};

// @pre the ids lie in the pool; rows hold block_ids.size() blocks. Of an id listed twice the last row stays.
Bytes in_pool(std::span<const std::byte> rows, const Pool& pool, std::uint64_t block_bytes);
Bytes rows_of(std::span<const std::byte> pool, std::span<const std::int64_t> block_ids,
              std::uint64_t block_bytes);
Bytes sentinel_pool(std::uint64_t num_blocks, std::uint64_t block_bytes);

std::vector<std::uint64_t> unsigned_ids(std::span<const std::int64_t> block_ids);

// Compares the rows of shuffled planes; nothing where they are equal. The coordinate's block is the block id.
std::optional<Difference> first_difference(const Shape& shape, std::span<const std::int64_t> block_ids,
                                           const PlaneBytes& expected, const PlaneBytes& found);

}  // namespace pageproof::golden
