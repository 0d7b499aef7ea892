// The GPU's kernels on a CPU, work-item by work-item: the same source, launch sizes and barrier as on a
// device.
//
//   convert_on_fibers(job, Direction::in_place, seed)
//
// is pageproof_convert_in_place for a job in host memory, slowly and in another order for every seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
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

struct FiberItem {
  std::uint32_t block;
  std::uint32_t group;
  std::uint32_t its_layer;
  WorkItem item;

  std::uint32_t block_index() const { return block; }
  std::uint32_t head_group() const { return group; }
  std::uint32_t layer() const { return its_layer; }
  WorkItem work_item() const { return item; }
  void* stage() const { return fibers::stage(); }
  void barrier() const { fibers::barrier(); }
};

template <class Kernel, class Item>
void run_launch(const Launch& launch, std::uint64_t seed) {
  struct Context {
    const Launch* launch;
    FiberItem item;
  };
  Random random(seed);
  std::vector<std::uint64_t> workgroups(std::uint64_t{launch.blocks} * launch.head_groups * launch.layers);
  std::iota(workgroups.begin(), workgroups.end(), std::uint64_t{0});
  std::shuffle(workgroups.begin(), workgroups.end(), random);
  for (const std::uint64_t number : workgroups) {
    Context context{&launch,
                    {static_cast<std::uint32_t>(number % launch.blocks),
                     static_cast<std::uint32_t>(number / launch.blocks % launch.head_groups),
                     static_cast<std::uint32_t>(number / launch.blocks / launch.head_groups),
                     {0, launch.work_items}}};
    const auto body = [](void* pointer, std::uint32_t index) {
      const auto& [its_launch, group] = *static_cast<const Context*>(pointer);
      Item item{group};
      item.item.index = index;
      run_work_item<Kernel>(its_launch->arguments, item);
    };
    run_workgroup(launch.work_items, launch.stage_bytes, random, body, &context);
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
