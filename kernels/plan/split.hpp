// Each block as two: the byte halves of a page, as virtual regions at 0 and block_len / 2. They exist in
// transfer lists only and are never registered: NIXL looks a descriptor up by its nearest registered
// neighbour below, which an overlapping sub-region hides.
//
//   remote alone split   the RFC's read of standard pages into a K and a V plane (§3); a half is no side
//   both sides split     two-slot pages, K in one half and V in the other: under unequal TP heads are then
//   cut
//                        inside each slot (vLLM #59110, second fix)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/plan/region.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::plan {

// Two regions for each, in the order first half, second half; name, number of blocks, group, memory and
// replication are those of the whole. Refused: an odd block_len.
Expected<std::vector<Region>> in_halves(std::span<const Region> regions, const std::string& subject);

}  // namespace pageproof::plan
