// What makes a placed run INVALID here, beside what its reader found:
//
//   alone      token counts that are not those of its cell, a decode kernel that the setup cannot have
//   together   of one cell: another value of a key that must be the same; of one setup in it: no value of a
//              metric of the rules that a sibling has (a run that hides what it lost is no repeat)
//
// Every reason names file, key and value.
#pragma once

#include <vector>

#include "reports/gonogo/cells.hpp"

namespace pageproof::gonogo {

void judge_alone(Placed& placed, const Keys& keys, const Choices& choices, const Terms& terms);

void judge_together(std::vector<Placed>& all, const Choices& choices, const Terms& terms);

}  // namespace pageproof::gonogo
