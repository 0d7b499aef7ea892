// Accidents whose stores fall upon each other: which store came last is a race, so a byte is explained when
// it is what any of the stores to its place would have left there. Each says which part of the dump it
// writes; the rest it says nothing about.
//
//   head_term_missing   every head is stored at head 0's place
//   block_stride        block b at b·S where the allocation has b·2S, or the reverse
//   foreign_strides     the strides of another layout: rows of [N, H, D] on pages of [H, N, 2D]
#pragma once

#include <vector>

#include "reports/identify/candidate.hpp"

namespace pageproof::reports {

// Those that explain every byte they write, counted on all blocks, where the bytes can tell at all. `known`
// gives the formats: its candidates with no accident.
std::vector<Candidate> overlays_that_hold(const Scene& scene, std::span<const Candidate> known);

}  // namespace pageproof::reports
