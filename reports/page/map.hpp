// The map of cells: for each question (setup against comparator, by a rule or a metric) a small table of load
// by context, a square a cell. A square has a letter and a shade; colour repeats what they say.
#pragma once

#include <string>

#include "reports/page/content.hpp"

namespace pageproof::page {

// Questions whose `by` begins with "rule" if `rules`, the others if not. Empty where there is none.
std::string map_of(const Content& content, bool rules);

// What the letters mean, those that occur.
std::string legend_of(const Content& content);

}  // namespace pageproof::page
