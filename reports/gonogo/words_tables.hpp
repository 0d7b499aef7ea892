// The parts of the words that go through cells: the map, the gains, goodput, and the running requests' gaps.
#pragma once

#include "reports/gonogo/words.hpp"

namespace pageproof::gonogo {

Section map_section(const Judgement& judgement);
Section decision_section(const Judgement& judgement);
Section goodput_section(const Judgement& judgement);  // empty where no objectives were asked for
Section itl_section(const Judgement& judgement);

}  // namespace pageproof::gonogo
