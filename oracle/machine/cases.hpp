// The launches under which a shipped kernel is proved: a shape, a direction and how the blocks lie. Kernel
// and size of the launch come from the planner of the library itself, so that what is proved is what is
// launched.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/convert/launch.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::machine {

// In each but the last, some ids lie outside one of the pools: those blocks are skipped.
enum class Pattern : std::uint8_t {
  near,       // int32 ids out of order, dense planes aligned to 256 bytes; traffic is counted here
  far,        // int32 ids near 2^31, two layers, planes of two-slot pages, bases aligned to 16 bytes only
  wide,       // int64 ids beyond 2^32, and standard blocks that are not the planes'
  duplicate,  // one block listed twice: must be refuted, as two workgroups in conflict
};
inline constexpr Pattern kPatterns[] = {Pattern::near, Pattern::far, Pattern::wide, Pattern::duplicate};

std::string to_string(Pattern pattern);

struct Case {
  pageproof_shape shape;
  convert::Direction direction;
  Pattern pattern;

  // "out_of_place H=3 N=16 D=128 e=2, far"
  friend std::string to_string(const Case& c);
};

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
