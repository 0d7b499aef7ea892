// The receive model read with a solver's numbers: one request, one other that may be given the same block, of
// the same remote engine or of another one, one layer of that block, any number of reads, layers, workers and
// decode steps. The steps are those of model/receive; here they only become transitions of a state.
//
// Z3's types stand in this header, so only this folder includes it.
#pragma once

#include <z3++.h>

#include <array>
#include <string>
#include <vector>

#include "model/receive/invariant.hpp"
#include "model/receive/rules.hpp"
#include "model/receive/search.hpp"

template <>
struct pageproof::receive::Arithmetic<z3::expr> {
  static z3::expr literal(const z3::expr& like, int value) {
    return like.ctx().num_val(value, like.get_sort());
  }
  static z3::expr choose(const z3::expr& condition, const z3::expr& yes, const z3::expr& no) {
    return z3::ite(condition, yes, no);
  }
};

namespace pageproof::proof::receive_proof {

namespace rx = pageproof::receive;

using rx::Fault;

// How many requests, and to how many engines. One request: the other is left out, with everything it could do
// to the block; what any other does to the engine is among the request's own steps.
struct Size {
  std::size_t lives = 1;
  std::size_t engines = 1;
};

struct State {
  rx::Setting<z3::expr> given;
  std::vector<rx::Engine<z3::expr>> engines;
  std::vector<rx::Life<z3::expr>> lives;
  std::vector<rx::Tie<z3::expr>> ties;
  rx::Page<z3::expr> page;
};

// Variables with a suffix to their names; integers, or words where a search is bounded anyway.
State variables(Size size, const std::string& suffix, const z3::sort& sort);
std::vector<z3::expr> numbers_of(const State& state);
std::size_t engine_of(const State& state, std::size_t who);  // its place in the engines

struct Transition {
  std::size_t who = 0;  // which life; 2: any further request
  rx::Step step = rx::Step::forward;
  rx::Take take = rx::Take::nothing;
  z3::expr guard;
  State next;
};
std::vector<Transition> transitions(const State& state, const Fault& fault);

z3::expr initial(const State& state);
// The facts of each life, of its engine and, of two lives, of the block between them
// (model/receive/invariant.hpp).
z3::expr invariant(const State& state);
z3::expr broken(const State& state, rx::Rule rule);

// Of the first life: it has not ended and can take no step that is promised, in either half of the runner's
// turn; nor can the other run a conversion, for which the first may wait where it uses its block as a prefix.
z3::expr nothing_can_happen(const State& state, const Fault& fault);

// Is the rule shown by induction over the written facts? Those about a block are, for they are about two
// requests; unknown_engine_posts, for its care of other requests' reads is none where there is one request;
// and one about a request, for which Spacer takes longer than for all others. Of the rest nothing of another
// request reaches them but through the engine, and Spacer is given no fact.
bool by_induction(rx::Rule rule);

}  // namespace pageproof::proof::receive_proof
