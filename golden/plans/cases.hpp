// The committed plans: which pairs of engines, which blocks, which strategy, and which requests are refused.
#pragma once

#include "golden/plans/fixture.hpp"

namespace pageproof::golden::plans {

// With everything expected filled in; tcIds count from 1. The same every time.
Suite make_suite();

}  // namespace pageproof::golden::plans
