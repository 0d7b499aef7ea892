// Which shapes the fixtures of page formats have. Data only.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/container/dtype.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::golden::formats {

struct GroupPlan {
  Dtype dtype = Dtype::bf16;
  Shape shape;
  std::uint64_t blocks = 1;
};

// Small: every format that fits a shape is stored beside the others. H, N and D are never equal.
std::vector<GroupPlan> group_plans();

}  // namespace pageproof::golden::formats
