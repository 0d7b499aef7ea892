// How the receive model is proved: an invariant found by Spacer, facts that every step keeps, and a rank that
// every step lowers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/receive/search.hpp"
#include "oracle/proof/receive/false_facts.hpp"
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
// `from`: a start with one request, instead of any. What is refuted from one is refuted.
Reached spacer(rx::Rule rule, const Fault& fault, std::uint32_t seed, std::uint32_t resource_limit,
               const rx::System* from = nullptr);

// A query and its answer.
struct FactRow {
  std::string name;
  Answer answer = Answer::unknown;  // unsat: proved
  double seconds = 0;
};
// An induction over facts that are written down (model/receive/invariant.hpp), for two requests to one engine
// and for two to one each: do the facts hold at the start, and does every step keep them?
std::vector<FactRow> fact_rows(std::uint32_t seed);
// And does the rule follow from them?
FactRow rule_row(rx::Rule rule, std::uint32_t seed);

// The induction with a guard left out, or with a false fact among the others: a step that does not keep the
// facts, or none. Asked are the steps that the guard stands at; the others are what they were.
std::optional<FactRow> broken_step(rx::Guard without, std::uint32_t seed);
std::optional<FactRow> broken_step(FalseFact fact, std::uint32_t seed);

// Does every promised step of a request lower its rank, does no step of anybody raise it, and can a promised
// step always be taken before the end: with a notice of an abort, and with a lease that runs out instead? A
// request that uses a prefix may wait for a conversion of the request that fills it, which is promised, too.
// These rest on the facts.
std::vector<FactRow> rank_rows(std::uint32_t seed);
// The last of these alone: what the mutants of receive.ends have to break.
FactRow progress_row(const Fault& fault, std::uint32_t seed);

bool by_induction(rx::Rule rule);  // system.hpp

}  // namespace pageproof::proof::receive_proof
