// The search itself: candidates are sampled, survivors counted on all bytes, accidents looked for where no
// format is the answer, and the verdict drawn from what holds.
#pragma once

#include "reports/identify/identify.hpp"

namespace pageproof::reports {

// Fills in candidates, answers, closest and verdict.
void search(const Scene& scene, const IdentifyOptions& options, Identification& result);

}  // namespace pageproof::reports
