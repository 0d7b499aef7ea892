// One case as a launch on symbols, and the claim about it: when it ends, byte j of every listed block of the
// planes is the input byte pi(j) of its page, pi by the oracle's writer, and nothing else was touched.
#pragma once

#include <cstdint>
#include <expected>
#include <vector>

#include "oracle/machine/cases.hpp"
#include "oracle/machine/launch.hpp"

namespace pageproof::machine {

// pi: where the bytes of a block's K plane, then of its V plane, lie in its page; to pages, where the bytes
// of the page lie in the two.
std::vector<std::uint32_t> permutation_of(const pageproof_shape& shape, const Order& order);

struct Limits {
  std::uint64_t most_instructions = 1'000'000;  // of one wave
};

// Runs the case; Refuted is the first check that failed.
std::expected<Statistics, Refuted> run_case(Machine& machine, const Program& program, const Case& c,
                                            const Limits& limits = {}, const Hooks& hooks = {});

}  // namespace pageproof::machine
