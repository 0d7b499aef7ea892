// Blocks laid or read with the block stride of the other arrangement. An allocation of B blocks is 2B runs of
// S bytes: interleaved ([B, 2, ...]) run 2b is K block b and run 2b + 1 V block b; dense ([2, B, ...]) run b
// is K block b and run B + b V block b. A wrong stride mixes them up, and stores may fall upon each other:
//
//   dense stores in an interleaved allocation     K block b at run b, V block b at run 1 + b
//   wide stores in a dense allocation             K block b at run 2b, V block b at run B + 2b
//
// Source: page_layouts.md §2.4; the kernels that took a dense stride for granted are §3's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/page/plain/shape.hpp"

namespace pageproof::reports {

struct SlotContent {
  Side side = Side::key;
  std::uint64_t block = 0;  // of the reference
};

struct WrongStride {
  std::string what;  // "block b written at b·S instead of b·2S: ..."
  // What the dump's slot of that number may hold; nothing: it is not written.
  std::function<std::vector<SlotContent>(std::uint64_t)> contents;
};

// Those that a dump of this form can show: one tensor is the allocation itself, two tensors are what a reader
// took for its K plane and its V plane.
std::vector<WrongStride> wrong_strides(bool two_tensors, std::uint64_t blocks);

}  // namespace pageproof::reports
