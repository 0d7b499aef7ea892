#include "reports/structure/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reports/structure/flow.hpp"
#include "reports/structure/mutants.hpp"

namespace pageproof::structure {
namespace {

using handshake::Policy;
using region::Behaviour;

const std::array<KnownLeak, 10> kKnownLeaks = {{
    {{"A2", Mark::topology}, "T8"},
    {{"A4", Mark::mapping}, "T8"},
    {{"A5", Mark::loaded_agent}, "T8"},
    {{"A7", Mark::recorded_regions}, "T8"},
    {{"A8", Mark::bases}, "-"},
    {{"check 10", Mark::permute}, "T7"},
    {{"check 11", Mark::repack}, "T7"},
    {{"A10", Mark::local_handle}, "-"},
    {{"A11", Mark::split_handle}, "-"},
    {{"A12", Mark::remote_handle, true}, "-"},
}};

std::optional<Broken> not_reached(const Graph& graph, Order) {
  const std::vector<bool> reached = reached_from(graph, Graph::kStart);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (!reached[i]) return Broken{graph.states[i].name, "reached from the start", "no path leads there"};
  }
  return {};
}

std::optional<Broken> does_not_end(const Graph& graph, Order) {
  std::vector<bool> goes_on(graph.states.size(), false);
  for (const Transition& arc : graph.arcs) goes_on[arc.from] = true;
  const std::vector<bool> ends = reaches_an_end(graph);
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    const std::string& name = graph.states[i].name;
    if (goes_on[i] == graph.is_sink_by_name(i)) {
      return Broken{name, goes_on[i] ? "no arc leads on" : "an arc leads on",
                    goes_on[i] ? "one does" : "none does"};
    }
    if (!ends[i]) return Broken{name, "leads to ready or rejected", "leads to neither"};
  }
  return {};
}

std::optional<Broken> failure_is_accepted(const Graph& graph, Order) {
  std::vector<bool> has_failure(graph.states.size(), false);
  for (const Transition& arc : graph.arcs) {
    if (!arc.failure) continue;
    has_failure[arc.from] = true;
    if (reached_from(graph, arc.to)[graph.ready]) {
      return Broken{fmt::format("{} fails -> {}", graph.states[arc.from].name, graph.states[arc.to].name),
                    "no way to ready", "a way to ready"};
    }
  }
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    if (graph.states[i].can_fail && !has_failure[i]) {
      return Broken{graph.states[i].name, "an arc to rejected", "a check without one"};
    }
  }
  return {};
}

std::string listed(const std::vector<Leak>& leaks) {
  std::string text;
  for (const Leak& leak : leaks) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", leak.step, leak.later_rank_only ? " (rank)" : "");
  }
  return text.empty() ? "nothing" : text;
}

std::optional<Broken> leaks_otherwise(const Graph& graph, Order order) {
  std::vector<Leak> expected;
  if (order == Order::today) {
    for (const KnownLeak& known : kKnownLeaks) expected.push_back(known.leak);
  }
  const std::vector<Leak> got = leaks_of(graph);
  if (std::ranges::is_permutation(got, expected)) return {};
  return Broken{"what stays after a failure", listed(expected), listed(got)};
}

// Every path from the start to `ready` passes all these states; and there is a path.
std::optional<Broken> avoids(const Graph& graph, std::span<const std::string> names) {
  const std::vector<std::size_t> path = dominators(graph, graph.ready);
  if (path.empty()) return Broken{"ready", "reached", "no path leads there"};
  for (const std::string& name : names) {
    const std::optional<std::size_t> state = graph.find(name);
    if (state && std::ranges::find(path, *state) != path.end()) continue;
    return Broken{name, "on every path to ready", "not on every path"};
  }
  return {};
}

std::optional<Broken> avoids_tags(const Graph& graph, Order) {
  return avoids(graph, kTagStates);
}

std::optional<Broken> avoids_scope(const Graph& graph, Order) {
  return avoids(where_tags_differ(graph), scope_states());
}

const std::array<Law, 6> kLaws = {{
    {"reached", "every state is reached from the start", false, not_reached, cut_off_mutants},
    {"ends", "ready and rejected are the only states without a way on, and every state leads to one", false,
     does_not_end, dead_end_mutants},
    {"failures", "every check can reject, and behind a failed check there is no way to ready", false,
     failure_is_accepted, ignored_failure_mutants},
    {"leaks", "what outlives a failed handshake is what is listed: today ten marks, under the RFC none",
     false, leaks_otherwise, leak_mutants},
    {"tags", "every path to ready passes the comparison of the page-format tags", true, avoids_tags,
     tag_mutants},
    {"scope", "where tags differ, every path to ready passes every rule of the scope", true, avoids_scope,
     scope_mutants},
}};

}  // namespace

Handshake handshake_of(Order order, Behaviour behaviour, const Policy& policy) {
  const char* version = behaviour == Behaviour::s0 ? "S0" : "S2";
  if (order == Order::today) {
    return {fmt::format("today, {}", version), order, graph_of(handshake::outline_today(behaviour))};
  }
  return {fmt::format("RFC, {}{}{}", version, policy.match_rules ? "" : ", without match rules",
                      policy.strict_reader ? ", strict reader" : ""),
          order, graph_of(handshake::outline_proposed(behaviour, policy))};
}

std::vector<Handshake> all_handshakes() {
  std::vector<Handshake> all = {handshake_of(Order::today, Behaviour::s0),
                                handshake_of(Order::today, Behaviour::s2)};
  for (const bool rules : {true, false}) {
    for (const bool strict : {false, true}) {
      all.push_back(
          handshake_of(Order::proposed, Behaviour::s2, {.strict_reader = strict, .match_rules = rules}));
    }
  }
  return all;
}

std::vector<Leak> leaks_of(const Graph& graph) {
  Graph one_rank = graph;
  std::erase_if(one_rank.arcs, [](const Transition& arc) { return arc.on == kAnotherRank; });
  // A failed step leaves nothing, so what counts is whether a failure can come behind the arcs on which it
  // succeeds.
  const auto may_fail_after = [](const Graph& g, std::size_t state) {
    return std::ranges::any_of(g.arcs, [&](const Transition& arc) {
      return arc.from == state && !arc.failure && reached_from(g, arc.to)[g.rejected];
    });
  };
  std::vector<Leak> leaks;
  const std::vector<bool> reached = reached_from(graph, Graph::kStart);
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    const State& state = graph.states[i];
    if (state.scratch || !reached[i]) continue;
    for (const Mark mark : state.leaves) {
      if (may_fail_after(graph, i)) leaks.push_back({state.name, mark, !may_fail_after(one_rank, i)});
    }
  }
  return leaks;
}

std::span<const KnownLeak> known_leaks() {
  return kKnownLeaks;
}

std::span<const Law> laws() {
  return kLaws;
}

Graph where_tags_differ(const Graph& graph) {
  Graph restricted = graph;
  std::erase_if(restricted.arcs, [](const Transition& arc) {
    return arc.on == handshake::kTagsEqual || arc.on == handshake::kTagsRepack;
  });
  return restricted;
}

std::vector<std::string> scope_states() {
  std::vector<std::string> names;
  for (const handshake::ReasonFacts& facts : handshake::reasons()) {
    if (facts.reason < handshake::kFirstConversionReason || facts.reason > handshake::kLastConversionReason) {
      continue;
    }
    names.push_back(handshake::kScopePrefix + std::string(facts.name));
  }
  return names;
}

}  // namespace pageproof::structure
