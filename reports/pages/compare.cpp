#include "reports/pages/compare.hpp"

#include <algorithm>
#include <cstring>

#include "oracle/offset/writer.hpp"

namespace pageproof::reports {
namespace {

constexpr Side kSides[] = {Side::key, Side::value};

template <class Visit>
void each_element(const Shape& shape, Side side, std::uint64_t token_begin, std::uint64_t token_end,
                  const Visit& visit) {
  for (std::uint64_t head = 0; head < shape.heads; ++head) {
    for (std::uint64_t token = token_begin; token < token_end; ++token) {
      for (std::uint64_t dim = 0; dim < shape.head_dim; ++dim) visit(Coordinate{0, side, head, token, dim});
    }
  }
}

template <std::size_t kElementBytes>
void gather(std::span<const std::uint32_t> source_of, const std::byte* page, std::byte* out) {
  for (const std::uint32_t source : source_of) {
    std::memcpy(out, page + std::size_t{source} * kElementBytes, kElementBytes);
    out += kElementBytes;
  }
}

// What one half of a block must hold.
class ExpectedHalf {
 public:
  ExpectedHalf(const CheckedPages& checked, const Slots& slots, const BlockMap& map)
      : checked_(checked), slots_(slots), map_(map), bytes_(checked.pool.shape.side_bytes()) {}

  std::span<const std::byte> of(Side side, std::uint64_t block) {
    const Shape& shape = checked_.pool.shape;
    const std::span source_of =
        std::span(map_.source_of).subspan(side == Side::key ? 0 : map_.side_elements(), map_.side_elements());
    const std::byte* const page = checked_.page(block).data();
    (map_.element_bytes == 1 ? gather<1> : gather<2>)(source_of, page, bytes_.data());
    for (std::uint64_t token = 0; token < shape.tokens; ++token) {
      if (slots_.written[block * shape.tokens + token]) continue;
      each_element(shape, side, token, token + 1, [&](const Coordinate& c) {
        std::fill_n(&bytes_[oracle::shuffled_byte(shape, c)], shape.element_bytes, slots_.unwritten);
      });
    }
    return bytes_;
  }

 private:
  const CheckedPages& checked_;
  const Slots& slots_;
  const BlockMap& map_;
  std::vector<std::byte> bytes_;
};

void count(std::span<const std::byte> expected, std::span<const std::byte> got, std::uint64_t element_bytes,
           Differing& differ) {
  ++differ.blocks;
  for (std::size_t begin = 0; begin < expected.size(); begin += element_bytes) {
    std::uint64_t bytes = 0;
    for (std::size_t i = begin; i < begin + element_bytes; ++i) bytes += expected[i] != got[i];
    differ.bytes += bytes;
    differ.elements += bytes != 0;
  }
}

FirstDifference first_of(const CheckedPages& checked, const Slots& slots, Side side, std::uint64_t block,
                         std::span<const std::byte> expected, std::span<const std::byte> got) {
  const Shape& shape = checked.pool.shape;
  std::optional<FirstDifference> first;
  each_element(shape, side, 0, shape.tokens, [&](Coordinate c) {
    const std::uint64_t begin = oracle::shuffled_byte(shape, c);
    for (std::uint64_t i = 0; i < shape.element_bytes && !first; ++i) {
      if (expected[begin + i] == got[begin + i]) continue;
      c.block = block;
      first = FirstDifference{c,
                              oracle::shuffled_byte(shape, c) + i,
                              oracle::standard_byte(shape, c) + i,
                              slots.written[block * shape.tokens + c.token],
                              expected[begin + i],
                              got[begin + i]};
    }
  });
  return *first;
}

}  // namespace

Expected<BlockMap> oracle_map(const Shape& shape, const std::string& subject) {
  const std::uint64_t elements = shape.page_bytes() / shape.element_bytes;
  if (elements > UINT32_MAX) {
    return std::unexpected(Error{subject, "page", to_string(shape), "a page has 2^32 elements or more"});
  }
  BlockMap map{shape.element_bytes, std::vector<std::uint32_t>(elements)};
  for (const Side side : kSides) {
    std::uint32_t* const half = map.source_of.data() + (side == Side::key ? 0 : map.side_elements());
    each_element(shape, side, 0, shape.tokens, [&](const Coordinate& c) {
      half[oracle::shuffled_byte(shape, c) / shape.element_bytes] =
          static_cast<std::uint32_t>(oracle::standard_byte(shape, c) / shape.element_bytes);
    });
  }
  return map;
}

Comparison compare(const CheckedPages& checked, const Slots& slots, const BlockMap& map) {
  const Shape& shape = checked.pool.shape;
  Comparison comparison;
  ExpectedHalf expected_half(checked, slots, map);
  for (std::uint64_t block = 0; block < checked.pool.blocks; ++block) {
    for (const Side side : kSides) {
      const std::span<const std::byte> expected = expected_half.of(side, block);
      const std::span<const std::byte> got = checked.half(side, block);
      comparison.compared_bytes += got.size();
      if (std::memcmp(expected.data(), got.data(), got.size()) == 0) continue;
      count(expected, got, shape.element_bytes, comparison.differ[static_cast<std::size_t>(side)]);
      if (!comparison.first) comparison.first = first_of(checked, slots, side, block, expected, got);
    }
  }
  return comparison;
}

}  // namespace pageproof::reports
