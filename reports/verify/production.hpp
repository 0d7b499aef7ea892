// The converter that ships, through its C ABI, in the form in which fixtures and checks call a converter.
#pragma once

#include "golden/pages/converter.hpp"

namespace pageproof::reports {

golden::Convert production_converter();

}  // namespace pageproof::reports
