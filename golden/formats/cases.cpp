#include "golden/formats/cases.hpp"

namespace pageproof::golden::formats {

std::vector<GroupPlan> group_plans() {
  using enum Dtype;
  const auto plan = [](Dtype dtype, std::uint64_t heads, std::uint64_t tokens, std::uint64_t head_dim,
                       std::uint64_t blocks) {
    return GroupPlan{dtype, {heads, tokens, head_dim, bits(dtype) / 8}, blocks};
  };
  return {
      plan(bf16, 3, 32, 16, 2), plan(bf16, 1, 16, 32, 2), plan(f16, 1, 48, 16, 2),
      plan(bf16, 2, 64, 32, 1), plan(u8, 2, 16, 32, 2),   plan(f8_e4m3, 1, 32, 48, 2),
      plan(i8, 5, 16, 32, 1),
  };
}

}  // namespace pageproof::golden::formats
