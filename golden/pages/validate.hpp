// Whether a test can be run at all: its pools, ids and tensors fit its group's shape and each other. What
// fails here is bad input (an Error); what holds here and is still wrong is a finding of the checker.
#pragma once

#include <cstdint>
#include <string>

#include "golden/container/safetensors.hpp"
#include "golden/pages/fixture.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::golden {

// A pool above this is refused: a small file must not make a reader allocate much.
inline constexpr std::uint64_t kLargestPoolBytes = std::uint64_t{1} << 30;

// A shape that pages can have, a dtype of its element size, a file inside the folder. `subject` is the
// suite's path.
Expected<void> validate_group(const Group& group, const std::string& subject);

// The same for the group of any suite, by its shape, type and file.
Expected<void> validate_source(const Shape& shape, Dtype dtype, const std::string& file,
                               const std::string& subject);

// The members that the operation needs and no others; ids distinct and in their pools; the tensors it names,
// with the shapes of fixture.hpp.
Expected<void> validate_test(const Group& group, const Test& test, const SafetensorsFile& file,
                             const std::string& subject);

}  // namespace pageproof::golden
