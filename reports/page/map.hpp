// The map of cells: for each question (setup against comparator, by a rule or a metric) a small table of load
// by context, a square a cell. A square has a letter and a shade; colour repeats what they say.
#pragma once

#include <string>

#include "reports/page/content.hpp"

namespace pageproof::page {

enum class Asked : std::uint8_t { rules, metrics };

// The maps of questions by rules, or by metrics; of the judged setup if `judged`, of the others if not. Empty
// where there is none.
std::string map_of(const Content& content, Asked asked, bool judged);

// What the letters mean, those that occur.
std::string legend_of(const Content& content);

}  // namespace pageproof::page
