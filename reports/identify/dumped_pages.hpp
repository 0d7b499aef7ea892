// Dumped pages as they lie in memory, and where in them the blocks are. One block has two slots of S bytes;
// the arrangement says where they begin. A page format fills both slots with one page, a planes format fills
// one slot with K and the other with V, so that one pair of addresses serves both:
//
//   side_by_side        slot 0 of block i at i·2S, slot 1 at i·2S + S       pages, or [B, 2, ...] planes
//   one_after_another   slot 0 at i·S, slot 1 at (B + i)·S                  [2, B, ...]: a K plane, then a V
//   plane two_tensors         slot 0 at i·S of `first`, slot 1 at i·S of `second`
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/page/format.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::reports {

enum class Arrangement : std::uint8_t { side_by_side, one_after_another, two_tensors };

std::string to_string(Arrangement arrangement);

// Bytes of pages. `second` is used where the dump is two tensors, a K plane and a V plane of equal size.
struct DumpedPages {
  bool two_tensors = false;
  std::span<const std::byte> first = {};
  std::span<const std::byte> second = {};
  std::vector<std::uint64_t> block_ids = {};  // of its blocks in the order dumped; empty: 0, 1, 2, ...

  std::uint64_t bytes() const { return first.size() + second.size(); }
  std::uint64_t block_id(std::uint64_t position) const {
    return block_ids.empty() ? position : block_ids[position];
  }
};

// Pages whose format is known: a page format in one tensor, or a planes format in two.
struct KnownPages {
  DumpedPages pool;
  const page::PageFormat* format = nullptr;
  Shape shape;
};

// The first byte of a slot. `blocks` are those of the pool at this slot size.
inline const std::byte* slot_start(const DumpedPages& pool, Arrangement arrangement, std::uint64_t blocks,
                                   std::uint64_t slot_bytes, std::uint64_t block, std::size_t slot) {
  switch (arrangement) {
    case Arrangement::side_by_side:
      return pool.first.data() + (2 * block + slot) * slot_bytes;
    case Arrangement::one_after_another:
      return pool.first.data() + (slot * blocks + block) * slot_bytes;
    case Arrangement::two_tensors:
      break;
  }
  return (slot == 0 ? pool.first : pool.second).data() + block * slot_bytes;
}

// Slots counted through the dump's bytes: slot n is the n-th run of S bytes (two tensors: first, then
// second).
inline std::uint64_t slot_number(Arrangement arrangement, std::uint64_t blocks, std::uint64_t block,
                                 std::size_t slot) {
  return arrangement == Arrangement::side_by_side ? 2 * block + slot : slot * blocks + block;
}
inline const std::byte* numbered_slot(const DumpedPages& pool, std::uint64_t blocks, std::uint64_t slot_bytes,
                                      std::uint64_t number) {
  if (!pool.two_tensors || number < blocks) return pool.first.data() + number * slot_bytes;
  return pool.second.data() + (number - blocks) * slot_bytes;
}

// Blocks of both dumps that belong together, by their positions in them.
struct BlockPair {
  std::uint64_t file = 0;
  std::uint64_t reference = 0;
};

// Pairs the blocks by block id, in the order of `file`.
std::vector<BlockPair> pair_blocks(const DumpedPages& file, std::uint64_t file_blocks,
                                   const DumpedPages& reference, std::uint64_t reference_blocks);

}  // namespace pageproof::reports
