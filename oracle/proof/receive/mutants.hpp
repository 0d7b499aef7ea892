// The mutants of the receive model, each tried by the check that has to catch it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/receive/search.hpp"
#include "oracle/proof/receive/prove.hpp"

namespace pageproof::proof::receive_proof {

namespace rx = pageproof::receive;

// A step a line, with what it leaves.
std::vector<std::string> lines_of(const rx::Found& found);

// A guard left out: caught where the rule is broken, by the shortest trace.
ReceiveMutant without(rx::Guard guard, rx::Rule rule);

// Steps that never come: caught where a request is shown that is stuck, and where the proof that a promised
// step can always be taken fails of it.
ReceiveMutant never(const rx::EndingRow& row, std::uint32_t seed);

}  // namespace pageproof::proof::receive_proof
