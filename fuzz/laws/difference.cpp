#include <fmt/format.h>

#include <cstring>
#include <initializer_list>

#include "fuzz/laws/memory.hpp"
#include "model/page/format.hpp"

namespace pageproof::fuzz {
namespace {

// One pool of a memory and what its blocks hold.
struct Part {
  const Placement* placement;
  const char* format;
  Side region;
};
using Parts = std::vector<Part>;

Parts parts_of(const PlanesMemory& memory) {
  return {{&memory.key, "aiter-shuffled", Side::key}, {&memory.value, "aiter-shuffled", Side::value}};
}

Parts parts_of(const StandardMemory& memory) {
  return {{&memory.pages, "standard", Side::key}};
}

std::string place_name(const ConvertCase& c, const Parts& parts, std::uint64_t byte) {
  for (const Part& part : parts) {
    const Placement& p = *part.placement;
    for (std::uint64_t layer = 0; layer < p.bases.size(); ++layer) {
      if (byte < p.bases[layer]) continue;
      const std::uint64_t block = (byte - p.bases[layer]) / p.block_stride;
      const std::uint64_t within = (byte - p.bases[layer]) % p.block_stride;
      if (block >= p.num_blocks || within >= p.block_bytes) continue;
      const bool tokens_first = c.tokens_first && part.placement->block_bytes == c.shape.page_bytes();
      const auto format = page::find_format(tokens_first ? "standard-nhd" : part.format);
      Coordinate at = page::coordinate_at(**format, c.shape, {part.region, within});
      at.block = block;
      return fmt::format("layer={} {}", layer, pageproof::to_string(at));
    }
  }
  return fmt::format("byte {}, outside every block", byte);
}

// Compares one run of bytes into what was found so far.
void compare(const ConvertCase& c, const Parts& parts, std::span<const std::byte> expected,
             std::span<const std::byte> got, std::uint64_t begin, std::uint64_t size,
             std::optional<Difference>& found, std::uint64_t& compared) {
  compared += size;
  if (size == 0 || std::memcmp(&expected[begin], &got[begin], size) == 0) return;
  for (std::uint64_t i = begin; i < begin + size; ++i) {
    if (expected[i] == got[i]) continue;
    if (!found) found = Difference{place_name(c, parts, i), expected[i], got[i], 0, 0};
    ++found->count;
  }
}

std::optional<Difference> within_blocks(const ConvertCase& c, const Parts& parts,
                                        const std::vector<std::uint64_t>& ids, const Bytes& expected,
                                        const Bytes& got) {
  std::optional<Difference> found;
  std::uint64_t compared = 0;
  for (std::uint64_t layer = 0; layer < c.layers; ++layer) {
    for (const std::uint64_t id : ids) {
      for (const Part& part : parts) {
        compare(c, parts, expected, got, part.placement->begin(layer, id), part.placement->block_bytes, found,
                compared);
      }
    }
  }
  if (found) found->compared = compared;
  return found;
}

std::optional<Difference> everywhere(const ConvertCase& c, const Parts& parts, const Bytes& expected,
                                     const Bytes& got) {
  std::optional<Difference> found;
  std::uint64_t compared = 0;
  compare(c, parts, expected, got, 0, expected.size(), found, compared);
  if (found) found->compared = compared;
  return found;
}

// Compares everything after taking the listed blocks of `got` over into `expected`.
template <class Memory>
std::optional<Difference> outside(const ConvertCase& c, const std::vector<std::uint64_t>& ids,
                                  const Memory& expected, const Memory& got) {
  Bytes spliced = expected.bytes;
  const Parts parts = parts_of(expected);
  for (std::uint64_t layer = 0; layer < c.layers; ++layer) {
    for (const std::uint64_t id : ids) {
      for (const Part& part : parts) {
        const std::uint64_t begin = part.placement->begin(layer, id);
        std::memcpy(&spliced[begin], &got.bytes[begin], part.placement->block_bytes);
      }
    }
  }
  return everywhere(c, parts, spliced, got.bytes);
}

}  // namespace

std::optional<Difference> difference_in(const ConvertCase& c, const PlanesMemory& expected,
                                        const PlanesMemory& got) {
  return within_blocks(c, parts_of(expected), c.to, expected.bytes, got.bytes);
}

std::optional<Difference> difference_in(const ConvertCase& c, const StandardMemory& expected,
                                        const StandardMemory& got) {
  return within_blocks(c, parts_of(expected), c.from, expected.bytes, got.bytes);
}

std::optional<Difference> difference_outside(const ConvertCase& c, const PlanesMemory& expected,
                                             const PlanesMemory& got) {
  return outside(c, c.to, expected, got);
}

std::optional<Difference> difference_outside(const ConvertCase& c, const StandardMemory& expected,
                                             const StandardMemory& got) {
  return outside(c, c.from, expected, got);
}

std::optional<Difference> difference(const ConvertCase& c, const PlanesMemory& expected,
                                     const PlanesMemory& got) {
  return everywhere(c, parts_of(expected), expected.bytes, got.bytes);
}

std::optional<Difference> difference(const ConvertCase& c, const StandardMemory& expected,
                                     const StandardMemory& got) {
  return everywhere(c, parts_of(expected), expected.bytes, got.bytes);
}

}  // namespace pageproof::fuzz
