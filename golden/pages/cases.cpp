#include "golden/pages/cases.hpp"

namespace pageproof::golden {
namespace {

Shape shape_of(Dtype dtype, std::uint64_t heads, std::uint64_t tokens, std::uint64_t head_dim) {
  return {.heads = heads, .tokens = tokens, .head_dim = head_dim, .element_bytes = bits(dtype) / 8};
}

}  // namespace

std::vector<GroupPlan> committed_plans() {
  using enum Dtype;
  const auto plan = [](Dtype dtype, std::uint64_t heads, std::uint64_t tokens, std::uint64_t head_dim,
                       std::uint64_t blocks) {
    return GroupPlan{.dtype = dtype, .shape = shape_of(dtype, heads, tokens, head_dim), .blocks = blocks};
  };
  std::vector<GroupPlan> plans{
      plan(bf16, 1, 16, 64, 3),      // 0
      plan(bf16, 1, 32, 128, 2),     // 1
      plan(bf16, 2, 16, 64, 3),      // 2
      plan(f16, 2, 32, 64, 2),       // 3
      plan(f16, 3, 16, 64, 2),       // 4
      plan(bf16, 3, 16, 128, 3),     // 5
      plan(bf16, 5, 32, 64, 2),      // 6
      plan(bf16, 8, 16, 128, 2),     // 7
      plan(f16, 8, 16, 256, 1),      // 8
      plan(bf16, 5, 32, 256, 1),     // 9
      plan(u8, 1, 16, 64, 4),        // 10
      plan(f8_e4m3, 1, 32, 256, 2),  // 11
      plan(i8, 2, 16, 128, 2),       // 12
      plan(i8, 3, 32, 64, 2),        // 13
      plan(u8, 5, 16, 256, 2),       // 14
      plan(f8_e4m3, 8, 16, 64, 2),   // 15
  };
  for (const int small : {0, 2, 10, 11, 12, 13}) plans[small].bits = true;
  for (const int small : {0, 2, 4, 10}) plans[small].high_block = 299;
  for (const int varied : {0, 4, 13}) plans[varied].faults = true;
  // One page of 65,536 elements: the smallest that can hold every 2-byte pattern.
  plans[8].bits = true;
  plans[8].index = false;
  return plans;
}

std::vector<GroupPlan> full_plans() {
  using enum Dtype;
  std::vector<GroupPlan> plans;
  for (const Dtype dtype : {bf16, f16, u8, i8, f8_e4m3}) {
    for (const std::uint64_t heads : {1, 2, 3, 5, 8}) {
      for (const std::uint64_t tokens : {16, 32}) {
        for (const std::uint64_t head_dim : {64, 128, 256}) {
          const Shape shape = shape_of(dtype, heads, tokens, head_dim);
          // Planes of blocks up to 65,600 stay below 128 MiB.
          const bool smallest = shape.side_bytes() <= 2048;
          plans.push_back({.dtype = dtype,
                           .shape = shape,
                           .blocks = 2,
                           .bits = true,
                           .faults = dtype == bf16 || dtype == u8,
                           .high_block = smallest ? std::uint64_t{65'600} : 0});
        }
      }
    }
  }
  return plans;
}

}  // namespace pageproof::golden
