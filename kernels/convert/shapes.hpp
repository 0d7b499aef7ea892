// The shapes the kernels exist for, and the sizes they are launched with.
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

// Out of place a workgroup converts as many heads as fit here, one at least (the largest head is just as
// large), with one work-item a tile.
inline constexpr uint32_t kGroupBytes = 32 * 1024;

// In place a workgroup converts a page. `stage_bytes` of it wait in the stage; what is beyond waits in
// registers, kHeldBytes a work-item. The two sum up to PAGEPROOF_IN_PLACE_PAGE_BYTES at least.
struct Limits {
  uint32_t stage_bytes;
  uint32_t staged_work_items;
  uint32_t held_work_items;

  constexpr uint32_t page_bytes() const { return stage_bytes + held_work_items * kHeldBytes; }
};

// gfx9: 64 KiB of LDS, and 128 vector registers a lane in a workgroup of 1024.
inline constexpr Limits kAmdLimits{64 * 1024, 512, 1024};
// sm_80 and later: 163 KiB of shared memory or more, and 128 registers a thread in a block of 512.
inline constexpr Limits kNvidiaLimits{128 * 1024, 512, 512};

static_assert(kAmdLimits.page_bytes() >= PAGEPROOF_IN_PLACE_PAGE_BYTES);
static_assert(kNvidiaLimits.page_bytes() >= PAGEPROOF_IN_PLACE_PAGE_BYTES);

template <class G>
PAGEPROOF_INLINE constexpr uint32_t group_work_items() {
  return kGroupBytes / G::kTileBytes;
}

}  // namespace pageproof::convert
