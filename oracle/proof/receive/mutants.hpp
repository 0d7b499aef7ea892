// The mutants of the receive model, each tried by the checks that have to catch it: the search, which shows a
// shortest trace, and the proof of the obligation, which has to fail.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/receive/search.hpp"
#include "oracle/proof/receive/false_facts.hpp"
#include "oracle/proof/receive/prove.hpp"

namespace pageproof::proof::receive_proof {

namespace rx = pageproof::receive;

// A step a line, with what it leaves.
std::vector<std::string> lines_of(const rx::Found& found);

// A guard left out: caught where the rule is broken, by the shortest trace, and where its proof fails: Spacer
// refutes it, or the induction finds a step that does not keep the facts. `by_search`: the first alone.
ReceiveMutant without(rx::Guard guard, rx::Rule rule, const ReceiveRun& run);

// Steps that never come: caught where a request is shown that is stuck, and where the proof that a promised
// step can always be taken fails of it.
ReceiveMutant never(const rx::EndingRow& row, const ReceiveRun& run);

// A false fact among those that are written down: caught where the induction fails, and a state is shown in
// which it does not hold.
struct FalseFactRow {
  std::string_view name;
  FalseFact fact;
  std::string_view care;
};
std::span<const FalseFactRow> false_fact_table();
ReceiveMutant believed(const FalseFactRow& row, const ReceiveRun& run);

// A model with a fault, all of whose states are visited: caught by what the visit has to say of it. One row
// for each thing that it looks for.
struct VisitRow {
  std::string_view name;
  bool two;
  rx::Fault fault;
  std::string_view care;
  std::string_view said;  // a rule is broken, a dead end, "abort never happens"
};
std::span<const VisitRow> visit_table();
ReceiveMutant visited(const VisitRow& row);

// No rule is broken, nothing is stuck, and every step does happen: no guard is so strict that a proof would
// be about nothing. Empty, or what is wrong.
struct Visited {
  rx::Searched all;
  std::string wrong;  // "dead end", "told_twice", "abort never happens"
};
Visited visit_all_states(bool two, const rx::Fault& fault);

}  // namespace pageproof::proof::receive_proof
