// Reachability and dominators of a graph of states, by Boost.Graph, whose headers stay in this room.
#pragma once

#include <cstddef>
#include <vector>

#include "reports/structure/graph.hpp"

namespace pageproof::structure {

// By state: can it be reached from `from` (which can)? O(states + arcs).
std::vector<bool> reached_from(const Graph& graph, std::size_t from);
// By state: can one of `ready` and `rejected` be reached from it?
std::vector<bool> reaches_an_end(const Graph& graph);

// The states that every path from the start to `state` passes, the start first, `state` itself last. Empty
// where no path leads there. (Lengauer and Tarjan's dominator tree.)
std::vector<std::size_t> dominators(const Graph& graph, std::size_t state);

}  // namespace pageproof::structure
