// Faulty planners: what ships, and then one thing wrong, as has been done in practice or nearly.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "fuzz/plans/plan_case.hpp"

namespace pageproof::fuzz {

using Planner = std::function<Expected<plan::Plan>(const PlanCase&, const CasePair&)>;
Planner shipped_planner();

struct PlanFault {
  std::string name;  // "sides_swapped"
  std::string what;
  void (*spoil)(const PlanCase& c, const CasePair& pair, plan::Plan& plan);
};
std::span<const PlanFault> plan_faults();
Planner faulty_planner(const PlanFault& fault);

}  // namespace pageproof::fuzz
