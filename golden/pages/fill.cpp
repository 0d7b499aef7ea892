#include "golden/pages/fill.hpp"

#include <algorithm>
#include <cassert>

namespace pageproof::golden {
namespace {

std::uint64_t index_value(std::uint64_t i, std::uint64_t shift, const Shape& shape) {
  const std::uint64_t mask = (std::uint64_t{1} << (8 * shape.element_bytes)) - 1;
  const bool sides_alike = ((shape.head_dim >> shift) & mask) == 0;
  const bool is_value = i / shape.head_dim % 2 == 1;
  return ((i >> shift) ^ (sides_alike && is_value ? mask : 0)) & mask;
}

// 2-byte: an odd factor permutes the residues mod 2^16. 1-byte: the top byte of the golden ratio's multiples.
std::uint64_t bits_value(std::uint64_t i, std::uint64_t element_bytes) {
  if (element_bytes == 2) return (i * 40503 + 12345) & 0xFFFF;
  return ((i * 2654435769) & 0xFFFFFFFF) >> 24;
}

}  // namespace

Bytes fill_pages(const Fill& fill, const Shape& shape, std::uint64_t blocks) {
  assert(fill.kind == "index" || fill.kind == "bits");
  const std::uint64_t size = shape.element_bytes;
  Bytes out(blocks * shape.page_bytes());
  for (std::uint64_t i = 0; i < out.size() / size; ++i) {
    const std::uint64_t value =
        fill.kind == "index" ? index_value(i, fill.shift, shape) : bits_value(i, size);
    for (std::uint64_t byte = 0; byte < size; ++byte) {
      out[i * size + byte] = static_cast<std::byte>(value >> (8 * byte));
    }
  }
  return out;
}

std::vector<Fill> index_fills(const Shape& shape, std::uint64_t blocks) {
  std::vector<Fill> fills{{"index", 0}};
  const std::uint64_t last = blocks * shape.page_bytes() / shape.element_bytes - 1;
  const std::uint64_t step = 8 * shape.element_bytes;
  for (std::uint64_t shift = step; last >> shift != 0; shift += step) fills.push_back({"index", shift});
  return fills;
}

bool holds_every_bit_pattern(std::span<const std::byte> bytes, std::uint64_t element_bytes) {
  std::vector<bool> seen(std::size_t{1} << (8 * element_bytes));
  for (std::size_t i = 0; i < bytes.size(); i += element_bytes) {
    std::size_t value = 0;
    for (std::size_t byte = element_bytes; byte-- > 0;) {
      value = value << 8 | std::to_integer<std::size_t>(bytes[i + byte]);
    }
    seen[value] = true;
  }
  return std::ranges::find(seen, false) == seen.end();
}

}  // namespace pageproof::golden
