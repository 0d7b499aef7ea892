// The obligations of the receive model and what came of them: each safety rule, for any number of reads,
// layers, workers and decode steps; the facts on which the rules about a block rest; and that every request
// ends. Each with its mutants: a guard left out is caught by the rule named for it, by the shortest trace,
// and its proof fails; a step that never comes by the proof that requests end, with the shortest way to a
// request that is stuck; a false fact by the induction; a fault in the visit of all states by what it says.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/page/plain/failure.hpp"

namespace pageproof::proof {

struct ReceiveMutant {
  std::string name;  // "event_completed"
  std::string care;  // what is left out, in words
  std::string source;
  bool caught = false;
  std::vector<std::string> trace;  // a step a line, with the phase behind it
  std::string proof;  // how the proof fails: "Spacer refutes it", "the induction fails: A: free_blocks ..."
  std::uint64_t states = 0;
  double seconds = 0;
};

struct ReceiveObligation {
  std::string name;   // "receive.unconverted_scheduled"
  std::string claim;  // in a sentence
  std::string how;    // "Spacer, 49 clauses", "induction over written facts, 42 queries"
  std::uint64_t queries = 0;
  bool proved = false;
  std::string why;  // where not
  double seconds = 0;
  std::vector<ReceiveMutant> mutants;
  std::vector<Failure> failures;  // not proved, or a mutant not caught
};

// Names of all obligations, in their order.
std::vector<std::string> receive_obligation_names();

struct ReceiveRun {
  std::uint32_t seed = 0;
  bool mutants_only = false;
  bool by_search = false;  // of a guard left out: the search alone, and not whether the proof fails
};
// Those whose name, or a mutant's name, is listed; an empty list: all. Refused: a name that is neither.
Expected<std::vector<ReceiveObligation>> prove_receive(const std::vector<std::string>& names,
                                                       const ReceiveRun& run);

}  // namespace pageproof::proof
