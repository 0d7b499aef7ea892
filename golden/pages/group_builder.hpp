// One group of fixtures from its plan: the tests, and the tensors of its file. Inner part of the generator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "golden/container/safetensors.hpp"
#include "golden/pages/blocks.hpp"
#include "golden/pages/cases.hpp"
#include "golden/pages/fixture.hpp"

namespace pageproof::golden {

struct OwnedTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  Bytes data;
};

struct BuiltGroup {
  Group group;  // tc_id 0: the suite numbers its tests
  std::vector<OwnedTensor> tensors;
};

BuiltGroup build_group(const GroupPlan& plan);

}  // namespace pageproof::golden
