// The suite of page formats, and the tensors of its files, from the plans. Inner part of the generator.
#pragma once

#include <vector>

#include "golden/formats/cases.hpp"
#include "golden/formats/fixture.hpp"
#include "golden/pages/group_builder.hpp"

namespace pageproof::golden::formats {

struct BuiltGroup {
  Group group;  // tc_id 0: the suite numbers its tests
  std::vector<OwnedTensor> tensors;
};

BuiltGroup build_group(const GroupPlan& plan);

// Every format, as the oracle states it.
std::map<std::string, Format> stated_formats();

}  // namespace pageproof::golden::formats
