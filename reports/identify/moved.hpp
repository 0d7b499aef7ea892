// Blocks in other places: a sum over a block's elements that does not depend on their order says which block
// of the reference a block of the dump was, before anything is known of the format.
#pragma once

#include <vector>

#include "reports/identify/candidate.hpp"

namespace pageproof::reports {

// One candidate for each format among `known` whose blocks are found elsewhere than their ids say; they are
// to be measured like any other. Empty where every block is found under its own id or nowhere.
std::vector<Candidate> moved_candidates(const Scene& scene, std::span<const Candidate> known);

}  // namespace pageproof::reports
