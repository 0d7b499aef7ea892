#include "reports/structure/mutants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/structure/flow.hpp"

namespace pageproof::structure {
namespace {

const std::string& name_of(const Graph& graph, std::size_t state) {
  return graph.states[state].name;
}

// What led to the state leads to where it went on; it keeps its name, and no way leads there.
Graph without(Graph graph, std::size_t state) {
  const std::size_t next = graph.next_of(state).value_or(graph.rejected);
  std::erase_if(graph.arcs, [&](const Transition& arc) { return arc.from == state; });
  for (Transition& arc : graph.arcs) {
    if (arc.to == state) arc.to = next;
  }
  return graph;
}

// Taken out, and put on every way into another state. A check still rejects there.
Graph moved_before(const Graph& graph, std::size_t state, std::size_t other) {
  Graph out = without(graph, state);
  for (Transition& arc : out.arcs) {
    if (arc.to == other) arc.to = state;
  }
  out.arcs.push_back({state, other, ""});
  if (out.states[state].can_fail) out.arcs.push_back({state, out.rejected, "fails", true});
  return out;
}

Graph with_arc(Graph graph, std::size_t from, std::size_t to) {
  graph.arcs.push_back({from, to, "passes by"});
  return graph;
}

std::size_t place(const Graph& graph, std::string_view name) {
  return graph.find(name).value_or(graph.rejected);
}

}  // namespace

std::vector<Mutant> cut_off_mutants(const Graph& graph, Order) {
  std::vector<Mutant> mutants;
  for (std::size_t state = 1; state < graph.states.size(); ++state) {
    Mutant& mutant =
        mutants.emplace_back(Mutant{fmt::format("no arc into {}", name_of(graph, state)), graph});
    std::erase_if(mutant.graph.arcs, [&](const Transition& arc) { return arc.to == state; });
  }
  return mutants;
}

std::vector<Mutant> dead_end_mutants(const Graph& graph, Order) {
  std::vector<Mutant> mutants;
  for (std::size_t state = 0; state < graph.states.size(); ++state) {
    const std::string& name = name_of(graph, state);
    if (graph.is_sink_by_name(state)) {
      mutants.push_back(
          {fmt::format("{} goes back to the start", name), with_arc(graph, state, Graph::kStart)});
      continue;
    }
    Mutant& stuck = mutants.emplace_back(Mutant{fmt::format("no arc out of {}", name), graph});
    std::erase_if(stuck.graph.arcs, [&](const Transition& arc) { return arc.from == state; });
    Mutant& circling = mutants.emplace_back(Mutant{fmt::format("{} leads to itself alone", name), graph});
    for (Transition& arc : circling.graph.arcs) {
      if (arc.from == state) arc.to = state;
    }
  }
  return mutants;
}

std::vector<Mutant> ignored_failure_mutants(const Graph& graph, Order) {
  std::vector<Mutant> mutants;
  for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
    const Transition& arc = graph.arcs[i];
    if (!arc.failure) continue;
    const std::string& name = name_of(graph, arc.from);
    Mutant& ignored = mutants.emplace_back(Mutant{fmt::format("{} fails and goes on", name), graph});
    ignored.graph.arcs[i].to = graph.next_of(arc.from).value_or(graph.ready);
    Mutant& never = mutants.emplace_back(Mutant{fmt::format("{} cannot reject", name), graph});
    never.graph.arcs.erase(never.graph.arcs.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return mutants;
}

std::vector<Mutant> leak_mutants(const Graph& graph, Order order) {
  std::vector<Mutant> mutants;
  for (std::size_t state = 0; state < graph.states.size(); ++state) {
    const State& here = graph.states[state];
    if (here.leaves.empty()) continue;
    if (here.scratch) {
      Mutant& kept = mutants.emplace_back(Mutant{fmt::format("{} is kept", here.name), graph});
      kept.graph.states[state].scratch = false;
    } else if (order == Order::today && here.leaves.front() != Mark::ready) {
      mutants.push_back({fmt::format("{} comes last", here.name),
                         moved_before(graph, state, place(graph, "remember ranks"))});
    } else {
      // What is last now comes before a check.
      for (std::size_t check = 1; check < graph.states.size(); ++check) {
        if (!graph.states[check].can_fail) continue;
        mutants.push_back({fmt::format("{} comes before {}", here.name, name_of(graph, check)),
                           moved_before(graph, state, check)});
      }
    }
  }
  return mutants;
}

std::vector<Mutant> tag_mutants(const Graph& graph, Order) {
  std::vector<Mutant> mutants;
  for (const std::string& name : kTagStates) {
    const std::size_t state = place(graph, name);
    mutants.push_back({fmt::format("{} taken out", name), without(graph, state)});
    for (const std::size_t before : dominators(graph, state)) {
      if (before == state) continue;
      for (const char* accepted : {"accept match", "accept repack", "accept convert", handshake::kReady}) {
        mutants.push_back({fmt::format("{} leads to {}", name_of(graph, before), accepted),
                           with_arc(graph, before, place(graph, accepted))});
      }
    }
  }
  return mutants;
}

std::vector<Mutant> scope_mutants(const Graph& graph, Order) {
  std::vector<Mutant> mutants;
  const std::vector<std::string> names = scope_states();
  std::size_t before = place(graph, "tags compared");
  for (const std::string& name : names) {
    const std::size_t state = place(graph, name);
    mutants.push_back({fmt::format("{} taken out", name), without(graph, state)});
    mutants.push_back({fmt::format("{} asked where tags are equal", name),
                       moved_before(graph, state, place(graph, "accept match"))});
    mutants.push_back({fmt::format("{} leads past {}", name_of(graph, before), name),
                       with_arc(graph, before, place(graph, "accept convert"))});
    before = state;
  }
  return mutants;
}

}  // namespace pageproof::structure
