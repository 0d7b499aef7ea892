// What one launch is given, and where it finds the block that a team of work-items converts.
#pragma once

#include "kernels/convert/device.hpp"
#include "kernels/convert/pageproof.h"

namespace pageproof::convert {

// in_place_staged: the whole page waits in the stage (LDS, shared memory) between reading and writing; where
//                  workgroups form clusters, in the stages of one cluster.
// in_place_held:   the first heads wait in the stage, the others in registers.
enum class Mode : uint32_t { out_of_place, in_place_staged, in_place_held };

// The one parameter of every kernel. Pools are those of pageproof.h.
struct Arguments {
  pageproof_pool standard;
  pageproof_pool k_plane;
  pageproof_pool v_plane;
  const void* block_ids;
  const void* standard_block_ids;
  uint32_t id_bytes;
  uint32_t heads;
  uint32_t staged_heads;  // heads of a page that a team's part of the stage holds
  uint32_t blocks;        // entries of the list
};

// Where the bytes of one block lie. The page's first half begins at first_half, its second at second_half:
// out of place these are the halves of a standard page, in place the K-plane and the V-plane block
// themselves. In place they alias k and v, so none of the four is const or restrict.
struct Place {
  unsigned char* first_half;
  unsigned char* second_half;
  unsigned char* k;
  unsigned char* v;
};

// A negative int32 becomes an id far above any num_blocks.
PAGEPROOF_INLINE uint64_t block_id(const void* ids, uint32_t id_bytes, uint32_t index) {
  if (id_bytes == 8) return static_cast<uint64_t>(((const PAGEPROOF_UNIFORM int64_t*)ids)[index]);
  return static_cast<uint64_t>(static_cast<int64_t>(((const PAGEPROOF_UNIFORM int32_t*)ids)[index]));
}

// Where a layer of the pool begins.
PAGEPROOF_INLINE unsigned char* layer_begin(const pageproof_pool& pool, uint32_t layer) {
  if (pool.layer_bases) {
    return static_cast<unsigned char*>(((void* const PAGEPROOF_UNIFORM*)pool.layer_bases)[layer]);
  }
  return static_cast<unsigned char*>(pool.base) + layer * pool.layer_stride;
}

PAGEPROOF_INLINE unsigned char* block_address(const pageproof_pool& pool, uint32_t layer, uint64_t id) {
  return layer_begin(pool, layer) + id * pool.block_stride;
}

// One entry of the list: a block of the planes and, out of place, of the standard pages; and where the layer
// begins in each pool. Every load is under way before the first of them is waited for: a small request takes
// hardly longer than its loads do.
struct Entry {
  uint64_t id;
  uint64_t standard_id;
  unsigned char* k;
  unsigned char* v;
  unsigned char* standard;
};

template <bool kInPlace>
PAGEPROOF_INLINE Entry entry_of(const Arguments& job, uint32_t index, uint32_t layer) {
  Entry entry{};
  if (job.id_bytes == 8) {
    entry.id = block_id(job.block_ids, 8, index);
    if constexpr (!kInPlace) entry.standard_id = block_id(job.standard_block_ids, 8, index);
  } else {
    entry.id = block_id(job.block_ids, 4, index);
    if constexpr (!kInPlace) entry.standard_id = block_id(job.standard_block_ids, 4, index);
  }
  if (job.k_plane.layer_bases && job.v_plane.layer_bases && (kInPlace || job.standard.layer_bases)) {
    using Table = void* const PAGEPROOF_UNIFORM*;
    entry.k = static_cast<unsigned char*>(((Table)job.k_plane.layer_bases)[layer]);
    entry.v = static_cast<unsigned char*>(((Table)job.v_plane.layer_bases)[layer]);
    if constexpr (!kInPlace)
      entry.standard = static_cast<unsigned char*>(((Table)job.standard.layer_bases)[layer]);
  } else {
    entry.k = layer_begin(job.k_plane, layer);
    entry.v = layer_begin(job.v_plane, layer);
    if constexpr (!kInPlace) entry.standard = layer_begin(job.standard, layer);
  }
  return entry;
}

// False beyond the list, and where an id lies outside its pool: the block is skipped.
template <bool kInPlace>
PAGEPROOF_INLINE bool locate(const Arguments& job, uint32_t index, uint32_t layer, uint64_t side_bytes,
                             Place& place) {
  if (index >= job.blocks) return false;
  const Entry entry = entry_of<kInPlace>(job, index, layer);
  if (entry.id >= job.k_plane.num_blocks || entry.id >= job.v_plane.num_blocks) return false;
  place.k = entry.k + entry.id * job.k_plane.block_stride;
  place.v = entry.v + entry.id * job.v_plane.block_stride;
  if constexpr (kInPlace) {
    place.first_half = place.k;
    place.second_half = place.v;
  } else {
    if (entry.standard_id >= job.standard.num_blocks) return false;
    place.first_half = entry.standard + entry.standard_id * job.standard.block_stride;
    place.second_half = place.first_half + side_bytes;
  }
  return true;
}

}  // namespace pageproof::convert
