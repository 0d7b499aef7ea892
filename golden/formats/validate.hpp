// Can a group's tests be run at all? Inner part of the checker.
#pragma once

#include <string>

#include "golden/container/safetensors.hpp"
#include "golden/formats/fixture.hpp"

namespace pageproof::golden::formats {

// Refused, naming the suite's file, the field and the value: pages of an unknown format, or with tensors that
// the file has not, or not in this type and these axes; a test whose pages are not there, with a member too
// many or missing, or whose result does not go with its members.
Expected<void> validate_tests(const Group& group, const SafetensorsFile& file, const std::string& subject);

}  // namespace pageproof::golden::formats
