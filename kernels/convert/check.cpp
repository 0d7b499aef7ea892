#include "kernels/convert/check.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "kernels/convert/overlap.hpp"

namespace pageproof::convert {
namespace {

std::uint64_t side_bytes(const pageproof_shape& shape) {
  return std::uint64_t{shape.heads} * shape.tokens * shape.head_dim * shape.element_bytes;
}

bool aligned(const void* pointer, std::uint64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

pageproof_status check_shape(const pageproof_shape& shape, Direction direction) {
  if (shape.heads == 0 || shape.heads > PAGEPROOF_MAX_HEADS) return PAGEPROOF_UNSUPPORTED_HEADS;
  if (shape.tokens != 16 && shape.tokens != 32) return PAGEPROOF_UNSUPPORTED_TOKENS;
  if (shape.head_dim != 64 && shape.head_dim != 128 && shape.head_dim != 256)
    return PAGEPROOF_UNSUPPORTED_HEAD_DIM;
  if (shape.element_bytes != 1 && shape.element_bytes != 2) return PAGEPROOF_UNSUPPORTED_ELEMENT_BYTES;
  const bool too_large = 2 * side_bytes(shape) > PAGEPROOF_IN_PLACE_PAGE_BYTES;
  return direction == Direction::in_place && too_large ? PAGEPROOF_PAGE_TOO_LARGE : PAGEPROOF_OK;
}

// What the fields say; the table and its bases are for check_bases.
pageproof_status check_pool(const pageproof_pool& pool, std::uint64_t block_bytes, std::uint32_t layers) {
  if (!aligned(pool.layer_bases, alignof(void*)) || pool.block_stride % 16 != 0) return PAGEPROOF_MISALIGNED;
  const bool table = pool.layer_bases != nullptr;
  if (!table && (!aligned(pool.base, 16) || pool.layer_stride % 16 != 0)) return PAGEPROOF_MISALIGNED;
  std::uint64_t pool_bytes = 0;
  const bool wraps = __builtin_mul_overflow(pool.num_blocks, pool.block_stride, &pool_bytes);
  if (pool.block_stride < block_bytes || wraps) return PAGEPROOF_STRIDE_TOO_SMALL;
  std::uint64_t end = 0;
  const bool leaves =
      !table && (__builtin_mul_overflow(pool.layer_stride, layers - 1, &end) ||
                 __builtin_add_overflow(end, pool_bytes, &end) ||
                 __builtin_add_overflow(reinterpret_cast<std::uintptr_t>(pool.base), end, &end));
  return leaves ? PAGEPROOF_STRIDE_TOO_SMALL : PAGEPROOF_OK;
}

// Host memory only.
std::uintptr_t layer_base(const pageproof_pool& pool, std::uint32_t layer) {
  if (pool.layer_bases != nullptr) return reinterpret_cast<std::uintptr_t>(pool.layer_bases[layer]);
  return reinterpret_cast<std::uintptr_t>(pool.base) + layer * pool.layer_stride;
}

pageproof_status check_orders(const pageproof_job& job) {
  const bool known = job.order <= PAGEPROOF_TOKENS_FIRST && job.direction <= PAGEPROOF_TO_PAGES &&
                     job.rewrite <= PAGEPROOF_E4M3_TO_E4M3FNUZ;
  if (!known) return PAGEPROOF_UNKNOWN_ORDER;
  const bool rewrites = job.rewrite != PAGEPROOF_KEEP_BYTES;
  return rewrites && job.shape.element_bytes != 1 ? PAGEPROOF_REWRITE_NEEDS_BYTES : PAGEPROOF_OK;
}

// A pool of the job, with the bytes and the ids of its blocks.
struct Use {
  const pageproof_pool* pool;
  const void* ids;
  std::uint64_t block_bytes;
  bool written;
};

// The planes, and out of place the pages. In place the planes are written in both directions.
std::vector<Use> uses_of(const pageproof_job& job, Direction direction) {
  const std::uint64_t side = side_bytes(job.shape);
  const bool to_pages = direction == Direction::out_of_place && job.direction == PAGEPROOF_TO_PAGES;
  std::vector<Use> uses{{&job.k_plane, job.block_ids, side, !to_pages},
                        {&job.v_plane, job.block_ids, side, !to_pages}};
  if (direction == Direction::out_of_place) {
    uses.push_back(
        {&job.standard, job.standard_block_ids ? job.standard_block_ids : job.block_ids, 2 * side, to_pages});
  }
  return uses;
}

// Ids as the kernel reads them.
std::vector<std::uint64_t> read_ids(const pageproof_job& job, const void* ids) {
  std::vector<std::uint64_t> values(job.id_count);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = block_id(ids, job.id_bytes, i);
  return values;
}

pageproof_status check_bases(const pageproof_pool& pool, std::uint32_t layers) {
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    const std::uintptr_t base = layer_base(pool, layer);
    if (base == 0) return PAGEPROOF_NULL_POINTER;
    if (base % 16 != 0) return PAGEPROOF_MISALIGNED;
    std::uint64_t end = 0;
    if (__builtin_add_overflow(base, pool.num_blocks * pool.block_stride, &end)) {
      return PAGEPROOF_STRIDE_TOO_SMALL;
    }
  }
  return PAGEPROOF_OK;
}

}  // namespace

pageproof_status check_arguments(const pageproof_job* job, Direction direction) {
  if (job == nullptr || job->struct_bytes != sizeof(pageproof_job)) return PAGEPROOF_INVALID_STRUCT;
  if (job->memory > PAGEPROOF_HIP) return PAGEPROOF_UNKNOWN_MEMORY;
  if (const auto status = check_orders(*job)) return status;
  if (const auto status = check_shape(job->shape, direction)) return status;
  if (job->id_bytes != 4 && job->id_bytes != 8) return PAGEPROOF_UNSUPPORTED_ID_BYTES;
  if (job->id_count > PAGEPROOF_MAX_BLOCKS || job->layers > PAGEPROOF_MAX_LAYERS)
    return PAGEPROOF_TOO_MANY_BLOCKS;
  if (job->id_count == 0 || job->layers == 0) return PAGEPROOF_OK;
  const auto uses = {std::pair{&job->k_plane, 1u}, std::pair{&job->v_plane, 1u},
                     std::pair{&job->standard, 2u}};
  for (const auto& [pool, sides] : uses) {
    if (pool == &job->standard && direction == Direction::in_place) continue;
    const bool placed = pool->layer_bases != nullptr || pool->base != nullptr;
    if (!placed || job->block_ids == nullptr) return PAGEPROOF_NULL_POINTER;
    if (const auto status = check_pool(*pool, sides * side_bytes(job->shape), job->layers)) return status;
  }
  const bool ids_aligned =
      aligned(job->block_ids, job->id_bytes) &&
      (direction == Direction::in_place || aligned(job->standard_block_ids, job->id_bytes));
  return ids_aligned ? PAGEPROOF_OK : PAGEPROOF_MISALIGNED;
}

pageproof_status check_memory(const pageproof_job& job, Direction direction) {
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;
  std::vector<Region> regions;
  std::vector<std::vector<std::uint64_t>> ids;
  const auto uses = uses_of(job, direction);
  for (const Use& use : uses) {
    if (const auto status = check_bases(*use.pool, job.layers)) return status;
    ids.push_back(read_ids(job, use.ids));
    std::sort(ids.back().begin(), ids.back().end());
    if (ids.back().back() >= use.pool->num_blocks) return PAGEPROOF_BLOCK_ID_OUT_OF_RANGE;
    const bool repeated = std::adjacent_find(ids.back().begin(), ids.back().end()) != ids.back().end();
    if (use.written && repeated) return PAGEPROOF_DUPLICATE_BLOCK_ID;
  }
  for (std::size_t u = 0; u < uses.size(); ++u) {
    for (std::uint32_t layer = 0; layer < job.layers; ++layer) {
      const std::uintptr_t base = layer_base(*uses[u].pool, layer);
      regions.push_back({base, uses[u].pool->block_stride, uses[u].block_bytes, ids[u], uses[u].written});
    }
  }
  return any_overlap(regions) ? PAGEPROOF_OVERLAP : PAGEPROOF_OK;
}

}  // namespace pageproof::convert
