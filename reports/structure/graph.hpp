// A handshake as a graph of states: the outline of the machine that the model executes, with the machines
// that run inside it put in their place. Nothing is drawn here that the executor does not read.
//
//   vertices   one a step, then `ready` and `rejected`; the first step is the start
//   arcs       where a step goes on; and, of every check, one to `rejected`
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/handshake/machine.hpp"

namespace pageproof::structure {

using handshake::Mark;
using handshake::Outline;

struct State {
  std::string name;
  bool can_fail = false;
  std::vector<Mark> leaves = {};  // in what outlives the handshake
  bool scratch = false;           // works on a copy: what it leaves is thrown away

  friend bool operator==(const State&, const State&) = default;
};

struct Transition {
  std::size_t from = 0;
  std::size_t to = 0;
  std::string on = {};
  bool failure = false;

  friend bool operator==(const Transition&, const Transition&) = default;
};

struct Graph {
  std::vector<State> states;
  std::vector<Transition> arcs;
  std::size_t ready = 0;
  std::size_t rejected = 0;

  static constexpr std::size_t kStart = 0;
  bool is_sink_by_name(std::size_t state) const { return state == ready || state == rejected; }
  std::optional<std::size_t> find(std::string_view name) const;
  // Where the state goes when it does not fail, first arc first.
  std::optional<std::size_t> next_of(std::size_t state) const;

  friend bool operator==(const Graph&, const Graph&) = default;
};

Graph graph_of(const Outline& outline);

}  // namespace pageproof::structure
