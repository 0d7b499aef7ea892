// The planner that ships, in the form in which plan fixtures call one.
#pragma once

#include "golden/plans/check.hpp"
#include "kernels/plan/request.hpp"

namespace pageproof::reports {

// A fixture's inputs as a request. Refused: block lists that do not pair.
Expected<plan::Request> request_of(const golden::plans::Test& test);

golden::plans::Planner production_planner();

}  // namespace pageproof::reports
