// The shapes the kernels exist for, and the sizes that devices launch them with.
#pragma once

#include "kernels/convert/arguments.hpp"
#include "kernels/convert/geometry.hpp"
#include "kernels/convert/kernel.hpp"

// ENTRY(tokens, head_dim, element_bytes) for each of the twelve.
#define PAGEPROOF_FOR_EACH_SHAPE(ENTRY) \
  ENTRY(16, 64, 1)                      \
  ENTRY(16, 64, 2)                      \
  ENTRY(16, 128, 1)                     \
  ENTRY(16, 128, 2)                     \
  ENTRY(16, 256, 1)                     \
  ENTRY(16, 256, 2)                     \
  ENTRY(32, 64, 1)                      \
  ENTRY(32, 64, 2)                      \
  ENTRY(32, 128, 1)                     \
  ENTRY(32, 128, 2)                     \
  ENTRY(32, 256, 1)                     \
  ENTRY(32, 256, 2)

namespace pageproof::convert {

// How a device likes its workgroups. In place a workgroup stages a page, or its share of one; what is beyond
// waits in registers, kHeldBytes a work-item.
struct Limits {
  uint32_t stage_bytes;        // of a workgroup, in place
  uint32_t staged_work_items;  // of a workgroup
  uint32_t held_work_items;    // of a workgroup that holds heads in registers

  uint32_t small_group_bytes = 0;       // a workgroup's bytes where a launch is small; 0: as elsewhere
  uint32_t wave = 1;                    // a team has a multiple of so many work-items
  uint32_t work_items_of_64_kib = 512;  // at most, for so much of a workgroup's stage
  uint32_t cluster = 1;                 // workgroups that may share a page in place
  uint32_t share_bytes = 0;             // what each of them stages
  uint32_t share_round_bytes = 0;       // what it reads at once, a tile a work-item
  bool teams = false;                   // small blocks share a workgroup

  // The largest page in place.
  constexpr uint32_t page_bytes() const {
    return cluster > 1 ? cluster * share_bytes : stage_bytes + held_work_items * kHeldBytes;
  }
};

// Out of place a workgroup converts as many heads as fit here, one at least (the largest head is just as
// large).
inline constexpr uint32_t kGroupBytes = 32 * 1024;

// A launch below this does not fill a device with workgroups of kGroupBytes.
inline constexpr uint64_t kSmallLaunchBytes = 12 * 1024 * 1024;

// From here on the L2 holds too little of a launch to hide memory: what is read next is fetched ahead, where
// the device can.
inline constexpr uint64_t kLargeLaunchBytes = 192 * 1024 * 1024;

// gfx9: 64 KiB of LDS, and 128 vector registers a lane in a workgroup of 1024.
inline constexpr Limits kAmdLimits{
    .stage_bytes = 64 * 1024, .staged_work_items = 512, .held_work_items = 1024, .wave = 64};

// sm_80: 163 KiB of shared memory, and 128 registers a thread in a block of 512.
inline constexpr Limits kAmpereLimits{.stage_bytes = 128 * 1024,
                                      .staged_work_items = 512,
                                      .held_work_items = 512,
                                      .small_group_bytes = 16 * 1024,
                                      .teams = true};

// sm_90 and later. Clusters share pages, 64 KiB a workgroup, of which three fit on a multiprocessor: while
// one waits at its barrier, others load and store. In large launches, whose loads find their bytes in the L2,
// one workgroup is faster for pages of up to 128 KiB. Measured: reports/records/.
inline constexpr Limits kHopperLimits{.stage_bytes = 128 * 1024,
                                      .staged_work_items = 512,
                                      .held_work_items = 512,
                                      .small_group_bytes = 16 * 1024,
                                      .work_items_of_64_kib = 256,
                                      .cluster = 8,
                                      .share_bytes = 64 * 1024,
                                      .share_round_bytes = 32 * 1024,
                                      .teams = true};

static_assert(kAmdLimits.page_bytes() >= PAGEPROOF_IN_PLACE_PAGE_BYTES);
static_assert(kAmpereLimits.page_bytes() >= PAGEPROOF_IN_PLACE_PAGE_BYTES);
static_assert(kHopperLimits.page_bytes() >= PAGEPROOF_IN_PLACE_PAGE_BYTES);

}  // namespace pageproof::convert
