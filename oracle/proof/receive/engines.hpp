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
  double seconds = 0;
  std::string why;  // where unknown
};
// Of a rule about one request alone. @pre not by_induction
Reached spacer(rx::Rule rule, const Fault& fault, std::uint32_t seed, std::uint32_t resource_limit);

// A query and its answer.
struct FactRow {
  std::string name;
  Answer answer = Answer::unknown;  // unsat: proved
  double seconds = 0;
};
// An induction over facts that are written down (model/receive/invariant.hpp), for two requests to one engine
// and for two to one each: do the facts hold at the start, and does every step keep them?
std::vector<FactRow> fact_rows(const Fault& fault, std::uint32_t seed);
// And does the rule follow from them?
FactRow rule_row(rx::Rule rule, std::uint32_t seed);

// Does every promised step lower the rank, does none raise it, and can a promised step always be taken before
// the end: with a notice of an abort, and with a lease that runs out instead?
std::vector<FactRow> rank_rows(std::uint32_t seed);
// The last of these alone: what the mutants of receive.ends have to break.
FactRow progress_row(const Fault& fault, std::uint32_t seed);

bool by_induction(rx::Rule rule);  // system.hpp

}  // namespace pageproof::proof::receive_proof
