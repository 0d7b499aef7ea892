// The whole way of a page: read by the plan into real bytes, converted by what ships, compared with the
// oracle's planes.
#pragma once

#include "fuzz/laws/converter.hpp"
#include "fuzz/laws/laws.hpp"
#include "fuzz/plans/plan_case.hpp"

namespace pageproof::fuzz {

// `halves` converts in place, `staged` out of place. Every byte of the decoder's pool is compared, also those
// of blocks that are not the request's. @pre one of the two strategies; pools that fit in memory
Verdict converts_to_the_oracles_planes(const PlanCase& c, const CasePair& pair, const plan::Plan& plan,
                                       const Converter& converter);

}  // namespace pageproof::fuzz
