// One test of the fixtures against a converter. Inner part of the checker.
#pragma once

#include <vector>

#include "golden/container/safetensors.hpp"
#include "golden/pages/converter.hpp"
#include "golden/pages/fixture.hpp"
#include "model/page/plain/failure.hpp"

namespace pageproof::golden {

// Everything that does not hold, without a replay line; empty where the test passes.
// @pre validate_group and validate_test have passed
std::vector<Failure> run_test(const Group& group, const Test& test, const SafetensorsFile& file,
                              const Convert& converter);

}  // namespace pageproof::golden
