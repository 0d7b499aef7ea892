// What one launch of the kernels of other orders is given: pages of either order, either direction, with or
// without a rewrite of the bytes. The shape is in numbers at run time, so two kernels an element size serve
// all of them.
#pragma once

#include "kernels/convert/arguments.hpp"

namespace pageproof::convert {

// Bytes of a page in place that a work-item carries across the barrier in its registers, where no stage holds
// the page.
inline constexpr uint32_t kHeldTileBytes = 256;

// The one parameter of every kernel of this folder.
struct OrderArguments {
  pageproof_pool pages;
  pageproof_pool k_plane;
  pageproof_pool v_plane;
  const void* plane_ids;
  const void* page_ids;
  uint32_t id_bytes;
  uint32_t in_place;  // the page lies in its landing: its halves are the planes' blocks
  uint32_t to_pages;  // else to planes
  uint32_t rewrite;   // e4m3 to e4m3fnuz, elements of 1 byte
  uint32_t heads;
  uint32_t group_heads;   // heads of a workgroup
  uint32_t head_step;     // granules from a head of a page to the next
  uint32_t token_step;    // granules from a token of a page to the next
  uint32_t log2_tokens;   // N is 2^log2_tokens
  uint32_t log2_columns;  // 2·D/x, the granules of a row, is 2^log2_columns
};

// One block, as two runs of S bytes each: a page's halves, a block's planes. In place the two are the same.
struct Runs {
  unsigned char* first;
  unsigned char* second;

  // Granule `granule` of both runs in a row; `half` are in the first.
  PAGEPROOF_INLINE unsigned char* at(uint32_t granule, uint32_t half) const {
    const bool is_second = granule >= half;
    return (is_second ? second : first) + uint64_t{is_second ? granule - half : granule} * 16;
  }
};

// False where an id lies outside its pool: the block is skipped.
PAGEPROOF_INLINE bool locate(const OrderArguments& job, uint32_t index, uint32_t layer, uint64_t side_bytes,
                             Runs& page, Runs& planes) {
  const uint64_t id = block_id(job.plane_ids, job.id_bytes, index);
  if (id >= job.k_plane.num_blocks || id >= job.v_plane.num_blocks) return false;
  planes.first = block_address(job.k_plane, layer, id);
  planes.second = block_address(job.v_plane, layer, id);
  page = planes;
  if (job.in_place) return true;
  const uint64_t page_id = block_id(job.page_ids, job.id_bytes, index);
  if (page_id >= job.pages.num_blocks) return false;
  page.first = block_address(job.pages, layer, page_id);
  page.second = page.first + side_bytes;
  return true;
}

}  // namespace pageproof::convert
