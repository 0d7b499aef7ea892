// The seeded faults of the laws: each takes one state or arc of a graph away or puts it elsewhere. Inner part
// of this room. A law that does not refuse one of its mutants is too weak.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "reports/structure/laws.hpp"

namespace pageproof::structure {

// The two steps that compare the page-format tags, and the arc that begins the next rank.
inline const std::array<std::string, 2> kTagStates = {"tag present", "tags compared"};
inline constexpr const char* kAnotherRank = "another rank";

std::vector<Mutant> cut_off_mutants(const Graph& graph, Order order);   // no arc into a state
std::vector<Mutant> dead_end_mutants(const Graph& graph, Order order);  // no arc out of it; only to itself
std::vector<Mutant> ignored_failure_mutants(const Graph& graph,
                                            Order order);           // fails, and goes on; never fails
std::vector<Mutant> leak_mutants(const Graph& graph, Order order);  // effects before or behind the checks
std::vector<Mutant> tag_mutants(const Graph& graph, Order order);   // taken out; passed by
std::vector<Mutant> scope_mutants(const Graph& graph,
                                  Order order);  // taken out; passed by; in the other branch

}  // namespace pageproof::structure
