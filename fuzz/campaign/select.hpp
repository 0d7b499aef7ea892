// Which properties a command line names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fuzz/property/property.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::fuzz {

// By name or by prefix, in the registry's order; no name means all. A name that fits none is refused with the
// nearest.
Expected<std::vector<Property>> select(std::span<const Property> properties,
                                       std::span<const std::string> names);

}  // namespace pageproof::fuzz
