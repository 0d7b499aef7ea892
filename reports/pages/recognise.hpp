// When planes are not what they should be: what are they instead? A handful of arrangements that real
// mistakes leave behind are tried on the data. One is named only where every byte that it speaks about
// matches, in every block whose slots were all written; its line says in how many blocks that was tested.
#pragma once

#include <string>
#include <vector>

#include "reports/pages/compare.hpp"
#include "reports/pages/slots.hpp"

namespace pageproof::reports {

// One line each, such as "V is [H, D, N], the classic paged V (all bytes of all 5 blocks match)". Nothing
// where no arrangement matches, or no block has all its slots written.
std::vector<std::string> recognise(const CheckedPages& checked, const Slots& slots, const BlockMap& truth,
                                   const Comparison& comparison);

// The planes hold. Which other arrangements would this data not tell from the right one?
std::vector<std::string> indistinct(const CheckedPages& checked, const Slots& slots, const BlockMap& truth);

}  // namespace pageproof::reports
