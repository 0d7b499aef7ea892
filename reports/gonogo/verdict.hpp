// From decisions in cells to a verdict for a setup, and to the program's verdict with its reasons.
#pragma once

#include <span>
#include <string>

#include "reports/gonogo/judge.hpp"

namespace pageproof::gonogo {

// Aggregates the decisions on `setup` against `against` over all cells. Too few decidable cells: unknown.
SetupVerdict verdict_of(std::span<const Cell> cells, const std::string& setup, const std::string& against,
                        const Choices& choices, const Terms& terms);

// Fills go, reasons and warnings of a judgement whose cells and setups are there.
void conclude(Judgement& judgement);

// Fills the power table and the expected false wins.
void add_power(Judgement& judgement);

}  // namespace pageproof::gonogo
