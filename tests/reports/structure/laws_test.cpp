// The laws of the graph of states, on the handshakes as they are and on small ones made to break them.
#include "reports/structure/laws.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reports/structure/flow.hpp"

namespace pageproof::structure {
namespace {

using region::Behaviour;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const Law& law_named(std::string_view name) {
  return *std::ranges::find(laws(), name, &Law::name);
}

std::vector<std::string> on_every_path(const Graph& graph) {
  std::vector<std::string> names;
  for (const std::size_t state : dominators(graph, graph.ready)) names.push_back(graph.states[state].name);
  return names;
}

TEST(Structure, NamesAreUnique) {
  for (const Handshake& handshake : all_handshakes()) {
    std::set<std::string> names;
    for (const State& state : handshake.graph.states)
      EXPECT_TRUE(names.insert(state.name).second) << state.name;
  }
}

TEST(Structure, EveryLawHolds) {
  for (const Handshake& handshake : all_handshakes()) {
    for (const Law& law : laws()) {
      if (law.proposed_only && handshake.order == Order::today) continue;
      const auto broken = law.broken(handshake.graph, handshake.order);
      EXPECT_FALSE(broken.has_value()) << handshake.name << " " << law.name << ": " << broken->example;
    }
  }
}

TEST(Structure, EveryMutantBreaksItsLaw) {
  for (const Order order : {Order::today, Order::proposed}) {
    const Handshake handshake = handshake_of(order, Behaviour::s2);
    for (const Law& law : laws()) {
      if (law.proposed_only && order == Order::today) continue;
      const std::vector<Mutant> mutants = law.mutants(handshake.graph, order);
      EXPECT_GE(mutants.size(), 10u) << law.name;
      for (const Mutant& mutant : mutants) {
        EXPECT_NE(mutant.graph, handshake.graph) << mutant.name;
        EXPECT_TRUE(law.broken(mutant.graph, order).has_value()) << law.name << ": " << mutant.name;
      }
    }
  }
}

// Today's graph breaks the RFC's laws: no tag is compared.
TEST(Structure, TodayComparesNoTags) {
  for (const Behaviour behaviour : {Behaviour::s0, Behaviour::s2}) {
    const Graph today = handshake_of(Order::today, behaviour).graph;
    EXPECT_TRUE(law_named("tags").broken(today, Order::proposed).has_value());
    EXPECT_TRUE(law_named("scope").broken(today, Order::proposed).has_value());
    EXPECT_TRUE(law_named("leaks").broken(today, Order::proposed).has_value());
  }
}

// Not even the numbered checks are on every path: A0 leads past them once an engine is ready.
TEST(Structure, WhatEveryPathPasses) {
  const Graph today = handshake_of(Order::today, Behaviour::s2).graph;
  EXPECT_THAT(on_every_path(today), Contains("hash"));
  EXPECT_THAT(on_every_path(today), Not(Contains("check 14")));
  Graph first_time = today;
  std::erase_if(first_time.arcs, [](const Transition& arc) { return arc.on == "ready before"; });
  EXPECT_THAT(on_every_path(first_time), Contains("check 14"));

  const Graph proposed = handshake_of(Order::proposed, Behaviour::s2).graph;
  EXPECT_THAT(on_every_path(proposed), Contains("tags compared"));
  EXPECT_THAT(on_every_path(proposed), Not(Contains("scope: tokens_unequal")));  // tags may be equal
  EXPECT_THAT(on_every_path(where_tags_differ(proposed)), Contains("scope: tokens_unequal"));
  EXPECT_EQ(scope_states().size(), 27u);
}

TEST(Structure, WhatStays) {
  EXPECT_THAT(leaks_of(handshake_of(Order::proposed, Behaviour::s2).graph), IsEmpty());
  const std::vector<Leak> leaks = leaks_of(handshake_of(Order::today, Behaviour::s0).graph);
  EXPECT_EQ(leaks.size(), known_leaks().size());
  const auto leak = [&](Mark mark) { return *std::ranges::find(leaks, mark, &Leak::mark); };
  EXPECT_EQ(leak(Mark::permute).step, "check 10");
  EXPECT_FALSE(leak(Mark::permute).later_rank_only);
  EXPECT_TRUE(leak(Mark::remote_handle).later_rank_only);
  EXPECT_EQ(std::ranges::count(leaks, Mark::ready, &Leak::mark), 0);
}

// A small machine, drawn as it is built: a choice, a check, a machine within.
struct Small {
  using Failure = int;
  std::vector<std::string> entered = {};
  void enter(const std::string& step) { entered.push_back(step); }
};

TEST(Structure, AGraphIsItsMachine) {
  using Inner = handshake::Machine<Small>;
  const Inner inner =
      std::move(Inner().check("b", {Mark::bases}, [](Small&) { return std::optional<int>(); }).finished());
  Inner outer;
  outer.choice("a", {{"on", "in"}, {"off", handshake::kEnd}}, [](const Small&) -> std::size_t { return 0; })
      .within<Small>("in", inner, "in: ", true,
                     [](Small& s, const Inner& machine, const std::string&) { return machine.run(s); })
      .effect("c", {Mark::ready}, [](Small&) {})
      .finished();
  const Graph graph = graph_of(*outer.outline());
  ASSERT_EQ(graph.states.size(), 6u);
  EXPECT_EQ(graph.states[2], (State{"in: b", true, {Mark::bases}, true}));
  EXPECT_THAT(graph.arcs, testing::UnorderedElementsAre(
                              Transition{0, 1, "on"}, Transition{0, 4, "off"}, Transition{1, 2, ""},
                              Transition{2, 3, ""}, Transition{2, 5, "fails", true}, Transition{3, 4, ""}));
  EXPECT_THAT(dominators(graph, 3), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(dominators(graph, graph.ready), ElementsAre(0, 4));
  EXPECT_THAT(leaks_of(graph), IsEmpty());
  Small context;
  EXPECT_FALSE(outer.run(context).has_value());
  EXPECT_THAT(context.entered, ElementsAre("a", "in", "b", "c"));
}

}  // namespace
}  // namespace pageproof::structure
