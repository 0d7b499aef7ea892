// Which element a read puts where, told twice: by carrying out the rows of a plan, element by element, and by
// the oracle's offsets. Memory is told by addresses alone, so pools may lie anywhere and be of any size.
#pragma once

#include <map>

#include "fuzz/laws/laws.hpp"
#include "fuzz/plans/plan_case.hpp"

namespace pageproof::fuzz {

struct RemoteElement {
  std::uint64_t rank = 0;
  std::uint64_t address = 0;

  friend auto operator<=>(const RemoteElement&, const RemoteElement&) = default;
};
// From a local address, of the element's first byte.
using Elements = std::map<std::uint64_t, RemoteElement>;

// By the oracle: every element of the request's blocks, and no other.
Elements wanted_elements(const PlanCase& c, const CasePair& pair);

// Carries out the rows and compares. A refutation names the first local address that differs.
Verdict moves_the_right_elements(const PlanCase& c, const CasePair& pair, const plan::Plan& plan);

}  // namespace pageproof::fuzz
