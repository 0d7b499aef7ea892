#include "oracle/offset/writer.hpp"

#include <cassert>
#include <cstring>
#include <vector>

namespace pageproof::oracle {

void run_writer(const Shape& shape, std::span<const std::byte> key_rows,
                std::span<const std::byte> value_rows, std::span<const std::int64_t> slots,
                const Planes& planes) {
  const std::uint64_t N = shape.tokens, D = shape.head_dim, e = shape.element_bytes;
  for (std::size_t row = 0; row < slots.size(); ++row) {
    if (slots[row] < 0) continue;
    const std::uint64_t slot = static_cast<std::uint64_t>(slots[row]);
    for (std::uint64_t head = 0; head < shape.heads; ++head) {
      for (std::uint64_t dim = 0; dim < D; ++dim) {
        const std::uint64_t source = ((row * shape.heads + head) * D + dim) * e;
        Coordinate c{slot / N, Side::key, head, slot % N, dim};
        std::memcpy(&planes.key[shuffled_byte(shape, c)], &key_rows[source], e);
        c.side = Side::value;
        std::memcpy(&planes.value[shuffled_byte(shape, c)], &value_rows[source], e);
      }
    }
  }
}

void gather_and_rewrite(const Shape& shape, std::span<const std::byte> standard,
                        std::span<const std::uint64_t> from, std::span<const std::uint64_t> to,
                        const Planes& planes) {
  assert(from.size() == to.size());
  const std::uint64_t row_bytes = shape.head_dim * shape.element_bytes;
  const std::size_t rows = from.size() * shape.tokens;
  std::vector<std::byte> key_rows(rows * shape.heads * row_bytes);
  std::vector<std::byte> value_rows(key_rows.size());
  std::vector<std::int64_t> slots(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t token = row % shape.tokens;
    slots[row] = static_cast<std::int64_t>(to[row / shape.tokens] * shape.tokens + token);
    for (std::uint64_t head = 0; head < shape.heads; ++head) {
      Coordinate c{from[row / shape.tokens], Side::key, head, token, 0};
      std::byte* const key = &key_rows[(row * shape.heads + head) * row_bytes];
      std::memcpy(key, &standard[standard_byte(shape, c)], row_bytes);
      c.side = Side::value;
      std::byte* const value = &value_rows[(row * shape.heads + head) * row_bytes];
      std::memcpy(value, &standard[standard_byte(shape, c)], row_bytes);
    }
  }
  run_writer(shape, key_rows, value_rows, slots, planes);
}

void unshuffle(const Shape& shape, std::span<const std::byte> key_plane,
               std::span<const std::byte> value_plane, std::span<const std::uint64_t> from,
               std::span<const std::uint64_t> to, std::span<std::byte> standard) {
  assert(from.size() == to.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (const Side side : {Side::key, Side::value}) {
      const std::span<const std::byte> plane = side == Side::key ? key_plane : value_plane;
      for (std::uint64_t head = 0; head < shape.heads; ++head) {
        for (std::uint64_t token = 0; token < shape.tokens; ++token) {
          for (std::uint64_t dim = 0; dim < shape.head_dim; ++dim) {
            const Coordinate there{from[i], side, head, token, dim};
            const Coordinate here{to[i], side, head, token, dim};
            std::memcpy(&standard[standard_byte(shape, here)], &plane[shuffled_byte(shape, there)],
                        shape.element_bytes);
          }
        }
      }
    }
  }
}

void land(const Shape& shape, std::span<const std::byte> standard, std::span<const std::uint64_t> from,
          std::span<const std::uint64_t> to, const Planes& planes) {
  assert(from.size() == to.size());
  const std::uint64_t half = shape.heads * shape.tokens * shape.head_dim * shape.element_bytes;
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::memcpy(&planes.key[to[i] * half], &standard[from[i] * 2 * half], half);
    std::memcpy(&planes.value[to[i] * half], &standard[from[i] * 2 * half + half], half);
  }
}

}  // namespace pageproof::oracle
