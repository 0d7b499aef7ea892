// Which rules does a theorem need? A core is a set of rules that implies it, minimal: without any one of them
// it no longer follows. All cores of a theorem are found, so the answer depends on no seed and on no order; a
// rule in no core of any theorem is policy.
//
// Found by deletion, from a set that implies the goal one rule after another is left out, and by branching on
// each member of a core found (Reiter's hitting sets) until nothing that is left implies the goal.
#pragma once

#include "model/page/plain/error.hpp"
#include "oracle/proof/negotiation/theorems.hpp"

namespace pageproof::proof {

using Core = std::vector<handshake::Reason>;  // in the order of the table

// Smaller cores first, then by the order of the table. Refused: a theorem that all rules do not imply, and an
// answer of unknown within the resource limit.
Expected<std::vector<Core>> minimal_cores(const RuleTheorem& theorem, std::uint32_t seed = 0);

struct TheoremCores {
  const RuleTheorem* theorem;
  std::vector<Core> cores;
};

// Of all theorems, on this many threads.
Expected<std::vector<TheoremCores>> all_cores(std::uint32_t threads, std::uint32_t seed = 0);

// Is the rule in some core?
bool needed(const std::vector<TheoremCores>& cores, handshake::Reason reason);

}  // namespace pageproof::proof
