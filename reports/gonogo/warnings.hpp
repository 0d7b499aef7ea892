// What a judgement is worth knowing about beside its verdict; codes in docs/gonogo.md.
#pragma once

#include <vector>

#include "reports/gonogo/judge.hpp"

namespace pageproof::gonogo {

// Of a judgement whose runs, cells, setups, refused and left out files are there.
std::vector<Reason> warnings_of(const Judgement& judgement);

}  // namespace pageproof::gonogo
