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
    const Arguments* arguments;
    FiberItem first;  // of its workgroup
  };
  // All contexts stand before the first workgroup starts: to ThreadSanitizer, workgroups come in no order.
  std::vector<Context> workgroups;
  for (std::uint32_t layer = 0; layer < launch.layers; ++layer) {
    for (std::uint32_t group = 0; group < launch.head_groups; ++group) {
      for (std::uint32_t block = 0; block < launch.blocks; ++block) {
        workgroups.push_back({&launch.arguments, {block, group, layer, {0, launch.work_items}}});
      }
    }
  }
  Random random(seed);
  std::shuffle(workgroups.begin(), workgroups.end(), random);
  const auto body = [](void* context, std::uint32_t index) {
    const auto& [arguments, first] = *static_cast<const Context*>(context);
    Item item{first};
    item.item.index = index;
    run_work_item<Kernel>(*arguments, item);
  };
  for (Context& workgroup : workgroups) {
    run_workgroup(launch.work_items, launch.stage_bytes, random, body, &workgroup);
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
