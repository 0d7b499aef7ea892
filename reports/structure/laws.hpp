// What is asked of a handshake's graph of states, each law with the mutants that must break it:
//
//   reached      every state is reached from the start
//   ends         `ready` and `rejected` are the only states without a way on, and every state leads to one
//   failures     every check has its arc to `rejected`, and behind a failed check there is no way to `ready`
//   leaks        what steps leave behind although the handshake may still fail is exactly what is listed
//   tags         (RFC) every path to `ready` passes the comparison of the page-format tags
//   scope        (RFC) where tags differ, every path to `ready` passes every rule of the scope
//
// Dominance and reachability are Boost.Graph's (flow.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/handshake/negotiate.hpp"
#include "reports/structure/graph.hpp"

namespace pageproof::structure {

enum class Order : std::uint8_t { today, proposed };

struct Handshake {
  std::string name;  // "today, S2"
  Order order = Order::today;
  Graph graph;
};
Handshake handshake_of(Order order, region::Behaviour behaviour, const handshake::Policy& policy = {});
// Today's S0 and S2, and the RFC's, which builds on S2, for every policy: six.
std::vector<Handshake> all_handshakes();

// A step's mark that outlives a failure.
struct Leak {
  std::string step;
  Mark mark;
  bool later_rank_only = false;  // only when another rank of the same engine fails afterwards

  friend bool operator==(const Leak&, const Leak&) = default;
};
std::vector<Leak> leaks_of(const Graph& graph);

// What today's order leaks, as connector spec traps T7 and T8 have it and as A8 and A10 to A12 add.
struct KnownLeak {
  Leak leak;
  std::string_view trap;  // "T7", "T8", or "-" for what the spec does not name
};
std::span<const KnownLeak> known_leaks();

struct Broken {
  std::string example;   // the state or arc
  std::string expected;  // in words
  std::string got;
};
struct Mutant {
  std::string name;  // "tags: \"tags compared\" taken out"
  Graph graph;
};
struct Law {
  std::string_view name;
  std::string_view claim;
  bool proposed_only = false;
  std::function<std::optional<Broken>(const Graph&, Order)> broken;
  std::function<std::vector<Mutant>(const Graph&, Order)> mutants;
};
std::span<const Law> laws();

// Where tags differ: without the arcs of "tags compared" that do not lead to the scope's rules.
Graph where_tags_differ(const Graph& graph);
// The names of the scope's states, in order.
std::vector<std::string> scope_states();

}  // namespace pageproof::structure
