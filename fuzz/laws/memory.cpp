#include "fuzz/laws/memory.hpp"

#include <cstring>

#include "oracle/offset/fp8.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::fuzz {
namespace {

constexpr std::uint64_t kMargin = 64;  // bytes around each layer of a pool, known and never to be written

// Random words; in every other one each 16-bit half has all exponent bits set, a NaN or infinity of bf16, a
// NaN of fp16 and, in its upper byte, of fp8.
void fill(Bytes& bytes, std::uint64_t seed) {
  const std::uint64_t start = mixed(seed, 0);
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = (start + i) * 0x9E37'79B9'7F4A'7C15u;
    word = (word ^ (word >> 32)) * 0xD6E8'FEB8'6659'FD93u;
    word ^= word >> 32;
    word |= (0 - (word >> 63)) & 0x7F80'7F80'7F80'7F80u;
    std::memcpy(&bytes[i], &word, std::min(sizeof word, bytes.size() - i));
  }
}

// Bytes from block 0 of a layer to the end of its last block.
std::uint64_t extent_of(const Placement& p) {
  return (p.num_blocks - 1) * p.block_stride + p.block_bytes;
}

Pool pool_of(Bytes& bytes, const Placement& p) {
  Pool pool{{}, p.block_stride, p.num_blocks};
  for (const std::uint64_t base : p.bases) pool.layers.push_back(bytes.data() + base);
  return pool;
}

// Calls visit(standard block, K block, V block) for each listed pair of each layer.
template <class Visit>
void for_each_pair(const ConvertCase& c, const StandardMemory& standard, PlanesMemory& planes,
                   const Visit& visit) {
  const std::uint64_t side = c.shape.side_bytes();
  for (std::uint64_t layer = 0; layer < c.layers; ++layer) {
    for (std::size_t i = 0; i < c.to.size(); ++i) {
      visit(std::span(standard.bytes).subspan(standard.pages.begin(layer, c.from[i]), 2 * side),
            oracle::Planes{std::span(planes.bytes).subspan(planes.key.begin(layer, c.to[i]), side),
                           std::span(planes.bytes).subspan(planes.value.begin(layer, c.to[i]), side)});
    }
  }
}

constexpr std::uint64_t kFirst[] = {0};

// The page [H, N, 2D] of a page [N, H, 2D]: rows change places, nothing in them does.
std::vector<std::byte> heads_first(const Shape& s, std::span<const std::byte> page) {
  const std::uint64_t row = 2 * s.head_dim * s.element_bytes;
  std::vector<std::byte> turned(page.size());
  for (std::uint64_t token = 0; token < s.tokens; ++token) {
    for (std::uint64_t head = 0; head < s.heads; ++head) {
      std::memcpy(&turned[(head * s.tokens + token) * row], &page[(token * s.heads + head) * row], row);
    }
  }
  return turned;
}

}  // namespace

StandardMemory standard_memory(const ConvertCase& c) {
  StandardMemory memory;
  Placement& p = memory.pages;
  p.block_bytes = c.shape.page_bytes();
  p.block_stride = p.block_bytes + c.standard_gap;
  p.num_blocks = c.standard_blocks;
  std::uint64_t end = 0;
  for (std::uint64_t layer = 0; layer < c.layers; ++layer) {
    p.bases.push_back(end + kMargin + c.standard_base);
    end = p.bases.back() + extent_of(p) + kMargin;
  }
  memory.bytes.resize(end);
  fill(memory.bytes, mixed(c.seed, 1));
  return memory;
}

PlanesMemory planes_memory(const ConvertCase& c) {
  PlanesMemory memory;
  const std::uint64_t side = c.shape.side_bytes();
  const std::uint64_t block = c.planes == Planes::two_slot ? 2 * side : side;
  for (Placement* p : {&memory.key, &memory.value}) {
    p->block_bytes = side;
    p->block_stride = block + c.plane_gap;
    p->num_blocks = c.plane_blocks;
  }
  std::uint64_t end = 0;
  for (std::uint64_t layer = 0; layer < c.layers; ++layer) {
    memory.key.bases.push_back(end + kMargin + c.plane_base);
    end = memory.key.bases.back() + extent_of(memory.key) + kMargin;
    if (c.planes == Planes::two_slot) {
      memory.value.bases.push_back(memory.key.bases.back() + side);
      end += side;
    } else {
      memory.value.bases.push_back(end + kMargin);
      end = memory.value.bases.back() + extent_of(memory.value) + kMargin;
    }
  }
  memory.bytes.resize(end);
  fill(memory.bytes, mixed(c.seed, 2));
  return memory;
}

ConvertJob job_of(const ConvertCase& c, StandardMemory& standard, PlanesMemory& planes) {
  return {c.shape,
          pool_of(standard.bytes, standard.pages),
          pool_of(planes.bytes, planes.key),
          pool_of(planes.bytes, planes.value),
          {c.from.begin(), c.from.end()},
          {c.to.begin(), c.to.end()},
          c.id_bytes,
          c.threads,
          c.tokens_first,
          c.rewrite};
}

void write_by_oracle(const ConvertCase& c, const StandardMemory& standard, PlanesMemory& planes) {
  for_each_pair(c, standard, planes, [&](std::span<const std::byte> page, const oracle::Planes& blocks) {
    const std::vector<std::byte> turned =
        c.tokens_first ? heads_first(c.shape, page) : std::vector<std::byte>{};
    oracle::gather_and_rewrite(c.shape, c.tokens_first ? std::span(turned) : page, kFirst, kFirst, blocks);
    if (!c.rewrite) return;
    for (const std::span<std::byte> block : {blocks.key, blocks.value}) {
      for (std::byte& code : block) {
        code = static_cast<std::byte>(oracle::e4m3_to_e4m3fnuz(static_cast<std::uint8_t>(code)));
      }
    }
  });
}

void land_by_oracle(const ConvertCase& c, const StandardMemory& standard, PlanesMemory& planes) {
  for_each_pair(c, standard, planes, [&](std::span<const std::byte> page, const oracle::Planes& blocks) {
    oracle::land(c.shape, page, kFirst, kFirst, blocks);
  });
}

}  // namespace pageproof::fuzz
