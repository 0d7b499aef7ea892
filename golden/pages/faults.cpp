#include "golden/pages/faults.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "oracle/offset/writer.hpp"

namespace pageproof::golden {
namespace {

using Rows = std::vector<std::uint64_t>;

Rows all_rows(const FaultInput& in) {
  Rows rows(in.blocks);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

PlaneBytes sentinel_planes(const FaultInput& in) {
  const Bytes plane = sentinel_pool(in.blocks, in.shape.side_bytes());
  return {plane, plane};
}

oracle::Planes view(PlaneBytes& planes) {
  return {planes.key, planes.value};
}

PlaneBytes converted(const FaultInput& in, std::span<const std::byte> standard) {
  PlaneBytes out = sentinel_planes(in);
  oracle::gather_and_rewrite(in.shape, standard, all_rows(in), all_rows(in), view(out));
  return out;
}

// A standard pool whose every element is the element of `in.standard` that `from` names.
template <class From>
Bytes rearranged(const FaultInput& in, From from) {
  const Shape& s = in.shape;
  Bytes out(in.standard.size());
  for (std::uint64_t block = 0; block < in.blocks; ++block) {
    for (const Side side : {Side::key, Side::value}) {
      for (std::uint64_t head = 0; head < s.heads; ++head) {
        for (std::uint64_t token = 0; token < s.tokens; ++token) {
          for (std::uint64_t dim = 0; dim < s.head_dim; ++dim) {
            const Coordinate to{block, side, head, token, dim};
            std::ranges::copy(in.standard.subspan(from(to), s.element_bytes),
                              out.data() + oracle::standard_byte(s, to));
          }
        }
      }
    }
  }
  return out;
}

PlaneBytes flipped_byte(const FaultInput& in) {
  PlaneBytes out = in.expected;
  const Shape& s = in.shape;
  const Coordinate c{in.blocks - 1, Side::value, s.heads - 1, s.tokens / 2 + 1, s.head_dim - 3};
  out.value[oracle::shuffled_byte(s, c)] ^= std::byte{0x40};
  return out;
}

// V as [H, D, N], the classic paged order: h·D·N + d·N + t.
PlaneBytes classic_value(const FaultInput& in) {
  PlaneBytes out = in.expected;
  const Shape& s = in.shape;
  for (std::uint64_t block = 0; block < in.blocks; ++block) {
    for (std::uint64_t head = 0; head < s.heads; ++head) {
      for (std::uint64_t token = 0; token < s.tokens; ++token) {
        for (std::uint64_t dim = 0; dim < s.head_dim; ++dim) {
          const std::uint64_t row = ((block * s.heads + head) * s.head_dim + dim) * s.tokens + token;
          const Coordinate c{block, Side::value, head, token, dim};
          std::ranges::copy(in.standard.subspan(oracle::standard_byte(s, c), s.element_bytes),
                            out.value.data() + row * s.element_bytes);
        }
      }
    }
  }
  return out;
}

// The first byte half of a page read as K [H, N, D], the second as V [H, N, D].
PlaneBytes halves_taken_as_sides(const FaultInput& in) {
  const Shape& s = in.shape;
  return converted(in, rearranged(in, [&](const Coordinate& c) {
                     const std::uint64_t half = c.side == Side::key ? 0 : s.side_bytes();
                     const std::uint64_t element = (c.head * s.tokens + c.token) * s.head_dim + c.dim;
                     return c.block * s.page_bytes() + half + element * s.element_bytes;
                   }));
}

PlaneBytes not_converted(const FaultInput& in) {
  return in.landing;
}

PlaneBytes sides_swapped(const FaultInput& in) {
  return converted(in, rearranged(in, [&](Coordinate c) {
                     c.side = c.side == Side::key ? Side::value : Side::key;
                     return oracle::standard_byte(in.shape, c);
                   }));
}

// In place once more: the converted planes taken for a landing.
PlaneBytes converted_twice(const FaultInput& in) {
  const std::uint64_t half = in.shape.side_bytes();
  Bytes again;
  for (std::uint64_t block = 0; block < in.blocks; ++block) {
    for (const Bytes* plane : {&in.expected.key, &in.expected.value}) {
      const auto part = std::span(*plane).subspan(block * half, half);
      again.insert(again.end(), part.begin(), part.end());
    }
  }
  return converted(in, again);
}

PlaneBytes last_token_missing(const FaultInput& in) {
  const Shape& s = in.shape;
  PlaneBytes out = in.expected;
  for (std::uint64_t block = 0; block < in.blocks; ++block) {
    for (std::uint64_t head = 0; head < s.heads; ++head) {
      for (std::uint64_t dim = 0; dim < s.head_dim; ++dim) {
        const Coordinate key{block, Side::key, head, s.tokens - 1, dim};
        const Coordinate value{block, Side::value, head, s.tokens - 1, dim};
        std::fill_n(out.key.data() + oracle::shuffled_byte(s, key), s.element_bytes, kSentinel);
        std::fill_n(out.value.data() + oracle::shuffled_byte(s, value), s.element_bytes, kSentinel);
      }
    }
  }
  return out;
}

PlaneBytes heads_rotated(const FaultInput& in) {
  return converted(in, rearranged(in, [&](Coordinate c) {
                     c.head = (c.head + 1) % in.shape.heads;
                     return oracle::standard_byte(in.shape, c);
                   }));
}

const std::array kFaults{
    Fault{"FlippedByte", "right planes but for one bit of one byte of V", flipped_byte},
    Fault{"ClassicValue", "V written as [H, D, N]", classic_value},
    Fault{"HalvesTakenAsSides", "the landed halves taken for K [H, N, D] and V [H, N, D], then shuffled",
          halves_taken_as_sides},
    Fault{"NotConverted", "the landing, left as it was read", not_converted},
    Fault{"SidesSwapped", "K in the V plane and V in the K plane, each in the other's order", sides_swapped},
    Fault{"ConvertedTwice", "converted in place once more", converted_twice},
    Fault{"LastTokenMissing", "the last token of each block never written", last_token_missing},
    Fault{"HeadsRotated", "head h holds the bytes of head h+1", heads_rotated},
};

}  // namespace

std::span<const Fault> faults() {
  return kFaults;
}

}  // namespace pageproof::golden
