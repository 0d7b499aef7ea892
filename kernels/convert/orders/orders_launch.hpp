// A checked job of another order, as the backends take it: the kernel's arguments and the size of the launch.
#pragma once

#include <cstdint>

#include "kernels/convert/launch.hpp"
#include "kernels/convert/orders/arguments.hpp"

namespace pageproof::convert {

// Standard pages to planes with their bytes kept is what the kernels of convert.hip do; everything else is
// done here.
bool is_other_order(const pageproof_job& job);

// On chip, in place: pages up to `stage_bytes` wait in the stage, larger ones as tiles, of which a work-item
// keeps `held_stage_bytes` in the stage and kHeldTileBytes in its registers.
struct OrderLimits {
  std::uint32_t stage_bytes;
  std::uint32_t staged_work_items;
  std::uint32_t held_work_items;
  std::uint32_t held_stage_bytes;
};
// gfx9: 64 KiB of LDS, which is less than a tile for each of 1024 work-items: registers hold all of a page.
inline constexpr OrderLimits kAmdOrderLimits{64 * 1024, 512, 1024, 0};
inline constexpr OrderLimits kNvidiaOrderLimits{128 * 1024, 512, 512, 256};
inline constexpr OrderLimits kHostOrderLimits{PAGEPROOF_IN_PLACE_PAGE_BYTES, 1, 1, 0};

constexpr std::uint32_t page_bytes(const OrderLimits& limits) {
  const std::uint32_t held = limits.held_work_items * (limits.held_stage_bytes + kHeldTileBytes);
  return held > limits.stage_bytes ? held : limits.stage_bytes;
}
static_assert(page_bytes(kAmdOrderLimits) >= PAGEPROOF_IN_PLACE_PAGE_BYTES);
static_assert(page_bytes(kNvidiaOrderLimits) >= PAGEPROOF_IN_PLACE_PAGE_BYTES);
static_assert(page_bytes(kHostOrderLimits) >= PAGEPROOF_IN_PLACE_PAGE_BYTES);

struct OrderLaunch {
  OrderArguments arguments;
  std::uint32_t element_bytes;
  bool held;
  std::uint32_t blocks;       // grid x
  std::uint32_t head_groups;  // grid y; 1 in place
  std::uint32_t layers;       // grid z
  std::uint32_t work_items;   // of a workgroup
  std::uint32_t stage_bytes;  // LDS, shared memory

  // As Launch says it: a workgroup is one team, of one block.
  static constexpr std::uint32_t teams = 1;
  std::uint32_t block_groups() const { return blocks; }
};

// `job` has passed check_arguments. @pre in place: the page is within page_bytes(limits)
OrderLaunch plan_order_launch(const pageproof_job& job, Direction direction, const OrderLimits& limits);

// As in launch.hpp, for the jobs of other orders.
pageproof_status run_order_on_host(const pageproof_job& job, Direction direction);
pageproof_status run_order_on_cuda(const pageproof_job& job, Direction direction);
pageproof_status run_order_on_hip(const pageproof_job& job, Direction direction);

}  // namespace pageproof::convert
