// The GPU's kernels of the other orders on a CPU, work-item by work-item (fibers.hpp).
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/convert/fibers/fibers.hpp"
#include "kernels/convert/orders/kernel.hpp"
#include "kernels/convert/orders/orders_launch.hpp"

namespace pageproof::convert::fibers {

struct OrderItem {
  const OrderLaunch* launch;
  std::uint32_t block;
  std::uint32_t group;
  std::uint32_t its_layer;
  std::uint32_t index;  // of the fiber

  std::uint32_t block_index() const { return block; }
  std::uint32_t head_group() const { return group; }
  std::uint32_t layer() const { return its_layer; }
  WorkItem work_item() const { return {index, launch->work_items}; }
  void* stage() const { return fibers::stage(); }
  void barrier() const { fibers::barrier(); }
};

template <class Kernel, class Item>
void run_order_kernel(const OrderLaunch& launch, std::uint64_t seed) {
  // All items stand before the first workgroup starts: to ThreadSanitizer, workgroups come in no order.
  std::vector<OrderItem> workgroups;
  for (std::uint32_t layer = 0; layer < launch.layers; ++layer) {
    for (std::uint32_t group = 0; group < launch.head_groups; ++group) {
      for (std::uint32_t block = 0; block < launch.blocks; ++block) {
        workgroups.push_back({&launch, block, group, layer, 0});
      }
    }
  }
  Random random(seed);
  std::shuffle(workgroups.begin(), workgroups.end(), random);
  const auto body = [](void* first, std::uint32_t index) {
    Item item{*static_cast<const OrderItem*>(first)};
    item.index = index;
    run_order_item<Kernel>(item.launch->arguments, item);
  };
  for (OrderItem& workgroup : workgroups) {
    run_workgroup(launch.work_items, launch.stage_bytes, random, body, &workgroup);
  }
  finish_launch();
}

// `job` lies in host memory and has passed the checks. Item: OrderItem, or a mutant derived from it.
// @pre in place: the page is within page_bytes(kLimits)
template <class Item, const OrderLimits& kLimits>
void run_order_launch(const pageproof_job& job, Direction direction, std::uint64_t seed) {
  const OrderLaunch launch = plan_order_launch(job, direction, kLimits);
  const auto run = [&]<std::uint32_t kElementBytes>() {
    if (launch.held) {
      run_order_kernel<OrderKernel<WordTarget, kElementBytes, true, kLimits.held_stage_bytes>, Item>(launch,
                                                                                                     seed);
    } else {
      run_order_kernel<OrderKernel<WordTarget, kElementBytes, false>, Item>(launch, seed);
    }
  };
  return launch.element_bytes == 1 ? run.template operator()<1>() : run.template operator()<2>();
}

}  // namespace pageproof::convert::fibers
