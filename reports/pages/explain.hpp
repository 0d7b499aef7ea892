// When planes are not what they should be: what are they instead? And where they hold: what else would this
// data not tell from the right ones? Both are identify's answers (reports/identify), asked of the blocks
// whose slots were all written.
#pragma once

#include <optional>
#include <string>

#include "reports/pages/compare.hpp"
#include "reports/pages/slots.hpp"

namespace pageproof::reports {

// One sentence. Nothing where the planes hold and no other answer fits this data, or where no block has all
// its slots written.
// @pre `comparison` is compare(checked, slots, truth)
std::optional<std::string> explain(const CheckedPages& checked, const Slots& slots, const BlockMap& truth,
                                   const Comparison& comparison);

}  // namespace pageproof::reports
