// The GPU's kernels on a CPU, work-item by work-item: the same source, launch sizes and barrier as on a
// device.
//
//   convert_on_fibers(job, Direction::in_place, seed)
//
// is pageproof_convert_in_place for a job in host memory, slowly and in another order for every seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/convert/check.hpp"
#include "kernels/convert/fibers/scheduler.hpp"
#include "kernels/convert/launch.hpp"
#include "kernels/convert/words.hpp"

namespace pageproof::convert {

// Same checks and status codes as the C ABI; PAGEPROOF_UNKNOWN_MEMORY for other memory than PAGEPROOF_HOST.
// Pages above limits.page_bytes() are PAGEPROOF_PAGE_TOO_LARGE in place. May throw std::bad_alloc.
pageproof_status convert_on_fibers(const pageproof_job& job, Direction direction, std::uint64_t seed,
                                   const Limits& limits = kAmdLimits);

namespace fibers {

// Fibers meet at one barrier, as a workgroup or as the workgroups of a cluster, whose stages lie one behind
// the other.
struct FiberItem {
  const Launch* launch;
  std::uint32_t first_block;
  std::uint32_t first_group;
  std::uint32_t its_layer;
  std::uint32_t index;  // of the fiber

  std::uint32_t team() const { return index / launch->work_items % launch->teams; }
  std::uint32_t workgroup() const { return index / launch->work_items / launch->teams; }  // of the cluster

  std::uint32_t block_index() const { return first_block + team(); }
  std::uint32_t head_group() const { return first_group + workgroup(); }
  std::uint32_t layer() const { return its_layer; }
  WorkItem work_item() const { return {index % launch->work_items, launch->work_items}; }
  void* stage() const { return static_cast<char*>(fibers::stage()) + workgroup() * launch->stage_bytes; }
  void barrier() const { fibers::barrier(); }
  void stage_barrier() const { fibers::barrier(); }
  template <class Kernel>
  void fetch_ahead(const Arguments&) const {}
};

template <class Kernel, class Item>
void run_launch(const Launch& launch, std::uint64_t seed) {
  // All items stand before the first workgroup starts: to ThreadSanitizer, workgroups come in no order.
  const std::uint32_t cluster = launch.mode == Mode::in_place_staged ? launch.head_groups : 1;
  std::vector<FiberItem> firsts;  // of a workgroup, or of a cluster
  for (std::uint32_t layer = 0; layer < launch.layers; ++layer) {
    for (std::uint32_t group = 0; group < launch.head_groups; group += cluster) {
      for (std::uint32_t block = 0; block < launch.blocks; block += launch.teams) {
        firsts.push_back({&launch, block, group, layer, 0});
      }
    }
  }
  Random random(seed);
  std::shuffle(firsts.begin(), firsts.end(), random);
  const auto body = [](void* first, std::uint32_t index) {
    Item item{*static_cast<const FiberItem*>(first)};
    item.index = index;
    run_work_item<Kernel>(item.launch->arguments, item);
  };
  for (FiberItem& first : firsts) {
    run_workgroup(launch.work_items * launch.teams * cluster, launch.stage_bytes * cluster, random, body,
                  &first);
  }
  finish_launch();
}

// Item: FiberItem, or a mutant derived from it.
template <class Item>
void run_launch(const Launch& launch, std::uint64_t seed) {
  with_geometry(launch.shape, [&]<class G>(G) {
    switch (launch.mode) {
      case Mode::out_of_place:
        return run_launch<Kernel<G, WordTarget, Mode::out_of_place>, Item>(launch, seed);
      case Mode::in_place_staged:
        return run_launch<Kernel<G, WordTarget, Mode::in_place_staged>, Item>(launch, seed);
      case Mode::in_place_held:
        return run_launch<Kernel<G, WordTarget, Mode::in_place_held>, Item>(launch, seed);
    }
  });
}

}  // namespace fibers
}  // namespace pageproof::convert
