#include "golden/pages/blocks.hpp"

#include <algorithm>

#include "oracle/offset/writer.hpp"

namespace pageproof::golden {
namespace {

// Calls use(coordinate, byte of the element in its plane) for every element of block row `row`.
template <class Use>
void for_each_element(const Shape& shape, std::uint64_t row, Use use) {
  for (const Side side : {Side::key, Side::value}) {
    for (std::uint64_t head = 0; head < shape.heads; ++head) {
      for (std::uint64_t token = 0; token < shape.tokens; ++token) {
        for (std::uint64_t dim = 0; dim < shape.head_dim; ++dim) {
          const Coordinate c{row, side, head, token, dim};
          use(c, oracle::shuffled_byte(shape, c));
        }
      }
    }
  }
}

}  // namespace

Bytes sentinel_pool(std::uint64_t num_blocks, std::uint64_t block_bytes) {
  return Bytes(num_blocks * block_bytes, kSentinel);
}

Bytes in_pool(std::span<const std::byte> rows, const Pool& pool, std::uint64_t block_bytes) {
  Bytes out = sentinel_pool(pool.num_blocks, block_bytes);
  for (std::size_t i = 0; i < pool.block_ids.size(); ++i) {
    const auto id = static_cast<std::uint64_t>(pool.block_ids[i]);
    std::ranges::copy(rows.subspan(i * block_bytes, block_bytes), out.data() + id * block_bytes);
  }
  return out;
}

Bytes rows_of(std::span<const std::byte> pool, std::span<const std::int64_t> block_ids,
              std::uint64_t block_bytes) {
  Bytes out;
  out.reserve(block_ids.size() * block_bytes);
  for (const std::int64_t id : block_ids) {
    const auto block = pool.subspan(static_cast<std::uint64_t>(id) * block_bytes, block_bytes);
    out.insert(out.end(), block.begin(), block.end());
  }
  return out;
}

std::vector<std::uint64_t> unsigned_ids(std::span<const std::int64_t> block_ids) {
  return {block_ids.begin(), block_ids.end()};
}

std::optional<Difference> first_difference(const Shape& shape, std::span<const std::int64_t> block_ids,
                                           const PlaneBytes& expected, const PlaneBytes& found) {
  if (expected == found) return std::nullopt;
  Difference difference;
  for (std::size_t row = 0; row < block_ids.size(); ++row) {
    for_each_element(shape, row, [&](const Coordinate& c, std::uint64_t byte) {
      const Bytes& right = c.side == Side::key ? expected.key : expected.value;
      const Bytes& other = c.side == Side::key ? found.key : found.value;
      for (std::uint64_t i = byte; i < byte + shape.element_bytes; ++i) {
        if (right[i] == other[i]) continue;
        if (difference.bytes++ > 0) continue;
        difference.first = c;
        difference.first.block = static_cast<std::uint64_t>(block_ids[row]);
      }
    });
  }
  return difference;
}

}  // namespace pageproof::golden
