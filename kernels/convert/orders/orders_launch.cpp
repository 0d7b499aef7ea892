#include "kernels/convert/orders/orders_launch.hpp"

#include <algorithm>
#include <bit>

namespace pageproof::convert {
namespace {

constexpr std::uint32_t kOrderGroupBytes = 32 * 1024;  // of a workgroup out of place: one head at least
constexpr std::uint32_t kOrderGroupWorkItems = 256;

std::uint32_t log2_of(std::uint32_t power) {
  return static_cast<std::uint32_t>(std::countr_zero(power));
}

OrderArguments arguments_of(const pageproof_job& job, Direction direction) {
  const std::uint32_t columns = 2 * job.shape.head_dim * job.shape.element_bytes / 16;
  const bool tokens_first = job.order == PAGEPROOF_TOKENS_FIRST;
  OrderArguments arguments{};
  arguments.pages = job.standard;
  arguments.k_plane = job.k_plane;
  arguments.v_plane = job.v_plane;
  arguments.plane_ids = job.block_ids;
  arguments.page_ids = job.standard_block_ids ? job.standard_block_ids : job.block_ids;
  arguments.id_bytes = job.id_bytes;
  arguments.in_place = direction == Direction::in_place;
  arguments.to_pages = job.direction == PAGEPROOF_TO_PAGES;
  arguments.rewrite = job.rewrite == PAGEPROOF_E4M3_TO_E4M3FNUZ;
  arguments.heads = job.shape.heads;
  arguments.group_heads = job.shape.heads;
  arguments.head_step = tokens_first ? columns : job.shape.tokens * columns;
  arguments.token_step = tokens_first ? job.shape.heads * columns : columns;
  arguments.log2_tokens = log2_of(job.shape.tokens);
  arguments.log2_columns = log2_of(columns);
  return arguments;
}

}  // namespace

bool is_other_order(const pageproof_job& job) {
  return job.order != PAGEPROOF_HEADS_FIRST || job.direction != PAGEPROOF_TO_PLANES ||
         job.rewrite != PAGEPROOF_KEEP_BYTES;
}

OrderLaunch plan_order_launch(const pageproof_job& job, Direction direction, const OrderLimits& limits) {
  const pageproof_shape& shape = job.shape;
  const std::uint32_t head_bytes = 2 * shape.tokens * shape.head_dim * shape.element_bytes;
  OrderLaunch launch{};
  launch.arguments = arguments_of(job, direction);
  launch.element_bytes = shape.element_bytes;
  launch.blocks = static_cast<std::uint32_t>(job.id_count);
  launch.layers = job.layers;
  launch.head_groups = 1;
  if (direction == Direction::out_of_place) {
    const std::uint32_t heads = std::min(shape.heads, kOrderGroupBytes / head_bytes);
    launch.arguments.group_heads = heads;
    launch.head_groups = (shape.heads + heads - 1) / heads;
    launch.work_items = std::min(kOrderGroupWorkItems, limits.staged_work_items);
    launch.stage_bytes = heads * head_bytes;
    return launch;
  }
  const std::uint32_t page_bytes = shape.heads * head_bytes;
  launch.held = page_bytes > limits.stage_bytes;
  launch.work_items = launch.held ? limits.held_work_items : limits.staged_work_items;
  launch.stage_bytes = launch.held ? limits.held_work_items * limits.held_stage_bytes : page_bytes;
  return launch;
}

}  // namespace pageproof::convert
