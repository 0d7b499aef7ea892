#include "kernels/convert/launch.hpp"

#include <algorithm>

namespace pageproof::convert {
namespace {

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

template <class G>
void size(Launch& launch, Direction direction, const Limits& limits) {
  const bool in_place = direction == Direction::in_place;
  const std::uint32_t heads = launch.shape.heads;
  const std::uint64_t launch_bytes = std::uint64_t{heads} * G::kHeadBytes * launch.blocks * launch.layers;
  const bool is_small = launch_bytes < kSmallLaunchBytes && limits.small_group_bytes != 0;
  const std::uint32_t group_bytes = is_small ? limits.small_group_bytes : kGroupBytes;

  // In place a workgroup takes the page, if it fits, or a cluster shares it. The heads are spread evenly.
  const bool fits = heads * G::kHeadBytes <= limits.stage_bytes;
  const bool alone = fits && (limits.cluster == 1 || launch_bytes >= kLargeLaunchBytes);
  const std::uint32_t room = !in_place || is_small ? group_bytes
                             : alone               ? limits.stage_bytes
                                                   : limits.share_bytes;
  const std::uint32_t least = in_place ? ceil_div(heads, limits.cluster) : 1;
  const std::uint32_t most = std::max(least, room / G::kHeadBytes);
  std::uint32_t mine = ceil_div(heads, ceil_div(heads, most));
  launch.mode = in_place ? Mode::in_place_staged : Mode::out_of_place;
  launch.head_groups = ceil_div(heads, mine);
  std::uint32_t most_work_items = std::min(
      limits.staged_work_items, ceil_div(mine * G::kHeadBytes, 64 * 1024) * limits.work_items_of_64_kib);
  if (in_place && launch.head_groups > 1) {
    most_work_items = std::min(most_work_items, limits.share_round_bytes / G::kTileBytes);
  }
  launch.work_items = std::min(ceil_div(mine * G::kHeadTiles, limits.wave) * limits.wave, most_work_items);
  launch.teams = 1;
  if (in_place && mine * G::kHeadBytes > limits.stage_bytes) {
    mine = std::max(1u, limits.stage_bytes / G::kHeadBytes);
    launch.mode = Mode::in_place_held;
    launch.head_groups = 1;
    launch.work_items = limits.held_work_items;
  } else if (limits.teams && launch.head_groups == 1) {
    const std::uint32_t fit =
        std::min(group_bytes / (mine * G::kHeadBytes), most_work_items / launch.work_items);
    launch.teams = std::clamp(fit, 1u, std::max(launch.blocks, 1u));
  }
  launch.arguments.staged_heads = mine;
  launch.stage_bytes = launch.teams * mine * G::kHeadBytes;
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
  launch.arguments.blocks = launch.blocks;
  with_geometry(job.shape, [&]<class G>(G) { size<G>(launch, direction, limits); });
  return launch;
}

}  // namespace pageproof::convert
