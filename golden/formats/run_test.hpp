// Runs one test of page formats, and checks the digests of a group's pages. Inner part of the checker.
#pragma once

#include <vector>

#include "golden/container/safetensors.hpp"
#include "golden/formats/converter.hpp"
#include "model/page/plain/failure.hpp"

namespace pageproof::golden::formats {

// @pre validate_tests accepts the group
std::vector<Failure> check_pages(const Group& group, const SafetensorsFile& file);

// @pre validate_tests accepts the group
std::vector<Failure> run_test(const Group& group, const Test& test, const SafetensorsFile& file,
                              const ConvertFormat& converter);

}  // namespace pageproof::golden::formats
