// The rule table once more, read with Z3's own expressions as Number and Truth, and compared rule for rule
// with the formulas of table.hpp: what the proofs are about is what Z3 makes of the table itself.
#pragma once

#include "oracle/proof/negotiation/table.hpp"

namespace pageproof::proof {

// Rules of both tables whose formula is not equivalent to Z3's own reading, or which the solver leaves open.
// `spoil` may change a formula before it is compared.
std::vector<handshake::Reason> differing_rules(const std::function<Formula(const Rule&)>& spoil = {});

}  // namespace pageproof::proof
