#include "kernels/convert/launch.hpp"

#include <algorithm>

namespace pageproof::convert {
namespace {

template <class G>
void size_out_of_place(Launch& launch) {
  const std::uint32_t heads = std::min(launch.shape.heads, kGroupBytes / G::kHeadBytes);
  launch.mode = Mode::out_of_place;
  launch.arguments.staged_heads = heads;
  launch.head_groups = (launch.shape.heads + heads - 1) / heads;
  launch.work_items = group_work_items<G>();
  launch.stage_bytes = heads * G::kHeadBytes;
}

template <class G>
void size_in_place(Launch& launch, const Limits& limits) {
  const std::uint32_t heads = std::min(launch.shape.heads, limits.stage_bytes / G::kHeadBytes);
  const bool fits = heads == launch.shape.heads;
  launch.mode = fits ? Mode::in_place_staged : Mode::in_place_held;
  launch.arguments.staged_heads = heads;
  launch.head_groups = 1;
  launch.work_items = fits ? limits.staged_work_items : limits.held_work_items;
  launch.stage_bytes = heads * G::kHeadBytes;
}

}  // namespace

Launch plan_launch(const pageproof_job& job, Direction direction, const Limits& limits) {
  Launch launch{};
  launch.shape = job.shape;
  launch.blocks = static_cast<std::uint32_t>(job.id_count);
  launch.layers = job.layers;
  launch.arguments.standard = job.standard;
  launch.arguments.k_plane = job.k_plane;
  launch.arguments.v_plane = job.v_plane;
  launch.arguments.block_ids = job.block_ids;
  launch.arguments.standard_block_ids = job.standard_block_ids ? job.standard_block_ids : job.block_ids;
  launch.arguments.id_bytes = job.id_bytes;
  launch.arguments.heads = job.shape.heads;
  with_geometry(job.shape, [&]<class G>(G) {
    direction == Direction::out_of_place ? size_out_of_place<G>(launch) : size_in_place<G>(launch, limits);
  });
  return launch;
}

}  // namespace pageproof::convert
