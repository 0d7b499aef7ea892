// The faults that each line of a format is tried with: two radices exchanged, the outermost digit let too
// far, and the claim that granules move whole where they do not.
#pragma once

#include "oracle/proof/world.hpp"

namespace pageproof::proof {

// A line of a format: the order of one side.
struct FormatLine {
  const page::DigitOrder& order;
  Side side;
  std::string prefix;  // of the mutants' names
  std::uint64_t x;
};

std::vector<Mutant> mutants_of(const FormatLine& line);

// Does the order end in dims that make whole granules?
bool moves_granules(const page::DigitOrder& order, std::uint64_t x);

Sym product_of(std::span<const Sym> numbers);

}  // namespace pageproof::proof
