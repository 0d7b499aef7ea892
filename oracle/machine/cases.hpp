// The launches under which a shipped kernel is proved: a shape, a direction and how the blocks lie. Kernel
// and size of the launch come from the planner of the library itself, so that what is proved is what is
// launched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/convert/launch.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::machine {

// In each but the last two, some ids lie outside one of the pools: those blocks are skipped. In each but the
// last, no two pools have their layers equally far apart.
enum class Pattern : std::uint8_t {
  near,       // ten int32 ids, dense blocks aligned to 256 bytes, two layers; traffic is counted here
  far,        // int32 ids near 2^31, three layers in tables, K alone dense, bases aligned to 16 bytes only
  wide,       // ten int64 ids beyond 2^32, three layers, three strides, pages that are not the planes' blocks
  sparse,     // two int32 ids, two layers, three strides beyond 4 GiB
  duplicate,  // one block listed twice: must be refuted, as two workgroups in conflict
};
inline constexpr Pattern kPatterns[] = {Pattern::near, Pattern::far, Pattern::wide, Pattern::sparse,
                                        Pattern::duplicate};

std::string to_string(Pattern pattern);

// What a job asks for beside the usual: standard pages to planes, bytes kept.
struct Order {
  pageproof_order pages = PAGEPROOF_HEADS_FIRST;
  pageproof_direction direction = PAGEPROOF_TO_PLANES;
  pageproof_rewrite rewrite = PAGEPROOF_KEEP_BYTES;
};

struct Case {
  pageproof_shape shape;
  convert::Direction direction;
  Pattern pattern;
  Order order = {};

  // "out_of_place H=3 N=16 D=128 e=2, far"
  friend std::string to_string(const Case& c);
};

// A launch of either family of kernels, as the library plans it for an AMD device.
struct Planned {
  std::string kernel;
  std::array<std::uint32_t, 3> grid;
  std::uint32_t work_items;
  std::uint32_t lds_bytes;
  std::vector<std::byte> arguments;
};
Planned plan_on_amd(const pageproof_job& job, convert::Direction direction);

// The kernel that the library launches for a case.
std::string kernel_of(const Case& c);

// One kernel's cases: H = 1 ... 16, and in place the smallest and the largest H that the kernel takes where
// those lie above. `quick`: few of them.
struct KernelCases {
  std::string kernel;
  std::vector<Case> cases;
};
std::vector<KernelCases> all_cases(bool quick);

}  // namespace pageproof::machine
