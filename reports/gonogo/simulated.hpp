// Runs that a simulator made and no engine: a verdict of them is a forecast, and says so wherever it stands.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/gonogo/judge.hpp"

namespace pageproof::gonogo {

// What follows the verdict: "   of simulated runs", "   3 of 12 runs are simulated", or nothing.
std::string simulated_words(std::span<const Placed> runs);

// SIMULATED: valid runs are simulated. SIMULATED_MIXED: beside measured ones in the same cell.
void simulated_warnings(std::span<const Placed> runs, std::vector<Reason>& out);

}  // namespace pageproof::gonogo
