// Refutes a mutant: looks for its smallest example, and replays it with plain integers, without the solver.
#pragma once

#include "oracle/proof/run.hpp"

namespace pageproof::proof {

// Smallest first: the sizes are held to 1, 2, 4, ... times their least values until an example exists, then
// each size and after that each index is made as small as it can be, in the order in which they are declared.
MutantResult refute(const Mutant& mutant, const std::string& obligation, std::uint32_t seed);

// Do the values satisfy what the mutant assumes and break what it claims? Plain division and multiplication.
bool replays(const Mutant& mutant, const Values& values);

// In the vocabulary of a failure: sizes, coordinate, the two numbers.
Failure example_failure(const Mutant& mutant, const Values& values, const std::string& obligation);

// The same of a query that should have been proved: every variable.
Failure query_example(const Query& query, const Values& values, const std::string& obligation);

// "H=1 N=16"
std::string shown(const Values& values);

}  // namespace pageproof::proof
