// Refutes a mutant: looks for its smallest example, and replays it with plain integers, without the solver.
#pragma once

#include "oracle/proof/run.hpp"

namespace pageproof::proof {

// Values for which a query's goal fails. `answer`: sat where there are any, unsat where there are none.
struct Smallest {
  Answer answer = Answer::unknown;
  Values values;
  double seconds = 0;
  std::string why;  // where unknown
};

// Smallest first: the variables of `first` are held to 1, 2, 4, ... until an example exists, then each of
// them and after that each of `then` is made as small as it can be, in this order. The values found depend on
// no seed, but for variables that neither list shows.
Smallest smallest_example(const Query& query, const Shown& first, const Shown& then, std::uint32_t seed);

// Smallest first: the sizes of its example before the coordinate.
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
