// The catalogue's own conversion, the fold that `convert` falls to, in the form in which the fixtures of page
// formats call a converter.
#pragma once

#include "golden/formats/converter.hpp"

namespace pageproof::reports {

golden::formats::ConvertFormat fold_formats();

}  // namespace pageproof::reports
