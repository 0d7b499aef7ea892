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

PAGEPROOF_INLINE unsigned char* block_address(const pageproof_pool& pool, uint32_t layer, uint64_t id) {
  auto* base = static_cast<unsigned char*>(pool.base) + layer * pool.layer_stride;
  if (pool.layer_bases) {
    base = static_cast<unsigned char*>(((void* const PAGEPROOF_UNIFORM*)pool.layer_bases)[layer]);
  }
  return base + id * pool.block_stride;
}

// False beyond the list, and where an id lies outside its pool: the block is skipped.
template <bool kInPlace>
PAGEPROOF_INLINE bool locate(const Arguments& job, uint32_t index, uint32_t layer, uint64_t side_bytes,
                             Place& place) {
  if (index >= job.blocks) return false;
  const uint64_t id = block_id(job.block_ids, job.id_bytes, index);
  if (id >= job.k_plane.num_blocks || id >= job.v_plane.num_blocks) return false;
  place.k = block_address(job.k_plane, layer, id);
  place.v = block_address(job.v_plane, layer, id);
  if constexpr (kInPlace) {
    place.first_half = place.k;
    place.second_half = place.v;
  } else {
    const uint64_t source = block_id(job.standard_block_ids, job.id_bytes, index);
    if (source >= job.standard.num_blocks) return false;
    place.first_half = block_address(job.standard, layer, source);
    place.second_half = place.first_half + side_bytes;
  }
  return true;
}

}  // namespace pageproof::convert
