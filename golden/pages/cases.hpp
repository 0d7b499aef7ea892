// Which fixtures there are: shapes, element types and how much each group covers. Data only.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/container/dtype.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::golden {

struct GroupPlan {
  Dtype dtype = Dtype::bf16;
  Shape shape;
  std::uint64_t blocks = 1;      // listed blocks of each test
  bool index = true;             // the index fills: out of place, in place, landing
  bool bits = false;             // the bits fill: out of place, and in place
  bool faults = false;           // planes with faults, requests to refuse
  std::uint64_t high_block = 0;  // the highest block id of the test of high ids; 0: no such test
};

// The committed set: few groups, every kind of case.
std::vector<GroupPlan> committed_plans();

// Every H of {1, 2, 3, 5, 8}, N, D and element type, and pools with block ids above 65,535.
std::vector<GroupPlan> full_plans();

}  // namespace pageproof::golden
