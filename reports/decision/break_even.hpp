// The curves behind the cost sheet's "pays from" lines: how many output tokens a request needs, over the
// bandwidth of the conversion, at the traffic factors of a fused kernel, of the RFC's "about 4x" and of torch
// operations.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/decision/cost_sheet.hpp"

namespace pageproof::decision {

// A list of {title, curves: [{traffic, points: [{terabytes_per_second, even, counted, guard}]}]}, one for
// each unshuffled comparator: tokens for N*, for the 3 % rule and for the 2 % guard, or "never". As in the
// sheet, c has the launch floor only where the question counts it.
nlohmann::ordered_json break_even_json(const CostSheet& sheet);

}  // namespace pageproof::decision
