// How the receive model is proved: an invariant found by Spacer, facts that every step keeps, and a rank that
// every step lowers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/receive/search.hpp"
#include "oracle/proof/solver.hpp"

namespace pageproof::proof::receive_proof {

namespace rx = pageproof::receive;

using rx::Fault;

struct Reached {
  Answer answer = Answer::unknown;  // unsat: the rule is never broken
  std::size_t clauses = 0;
  bool facts = false;  // the facts of block_rows were given
  double seconds = 0;
  std::string why;  // where unknown
};
Reached spacer(rx::Rule rule, const Fault& fault, std::uint32_t seed, std::uint32_t resource_limit);

// A query and its answer.
struct FactRow {
  std::string name;
  Answer answer = Answer::unknown;  // unsat: proved
  double seconds = 0;
};
// Do the facts of two lives and the block between them hold at the start, does every step keep them, and does
// every rule follow from them?
std::vector<FactRow> block_rows(const Fault& fault, std::uint32_t seed);
// Does every step but the runner's turn lower the rank, and can something always happen before the end?
std::vector<FactRow> rank_rows(const Fault& fault, std::uint32_t seed);

}  // namespace pageproof::proof::receive_proof
