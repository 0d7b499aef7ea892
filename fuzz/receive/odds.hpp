// Steps that are faults, and how often a driver takes them.
#pragma once

#include <cstdint>
#include <optional>

#include "fuzz/receive/faults.hpp"
#include "fuzz/receive/record.hpp"

namespace pageproof::fuzz_receive {

// The fault that a step is, where it is one.
std::optional<Fault> fault_of(rx::Step step, const rx::Life<int>& life);
// One in so many: what can happen at every step of a life happens more seldom at each.
std::uint32_t how_seldom(Fault fault);
// The runner's turn and handshakes: they come for ever, and nobody is nearer to the end by them.
bool comes_again(rx::Step step);

}  // namespace pageproof::fuzz_receive
