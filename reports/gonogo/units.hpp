// Medians of one metric that lie further apart in one cell than any setup makes them: seconds beside
// milliseconds, or a file of something else. Nothing is judged by such numbers, whichever side they favour.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/gonogo/judge.hpp"

namespace pageproof::gonogo {

// A line with the cell, the metric, both medians and their files; empty where all are of one order. Looks at
// the metrics of the rules, in the setups named.
std::string units_apart(const Cell& cell, std::span<const Placed> runs, std::span<const std::string> setups,
                        const Terms& terms);

// "one.json, two.json and 3 more"
std::string some_of(const std::vector<std::string>& names, std::size_t most);

}  // namespace pageproof::gonogo
