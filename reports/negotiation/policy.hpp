// The page docs/negotiation_rules.md: the RFC's scope list, each item with the theorems that need its rules,
// or the word policy; and the theorems with the rules that each needs. Nothing of it is written by hand: it
// comes from all minimal cores of all theorems.
#pragma once

#include <string>
#include <vector>

#include "oracle/proof/negotiation/cores.hpp"

namespace pageproof::reports {

inline constexpr const char* kPolicyPage = "docs/negotiation_rules.md";

std::string policy_page(const std::vector<proof::TheoremCores>& cores);

// A line a rule: its name and its theorems, or policy.
std::string policy_text(const std::vector<proof::TheoremCores>& cores);

}  // namespace pageproof::reports
