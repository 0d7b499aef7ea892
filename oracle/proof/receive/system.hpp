// The receive model read with a solver's numbers: one request, one other that may be given the same block,
// one layer of that block, any number of reads, layers, workers and decode steps. The steps are those of
// model/receive; here they only become transitions of a state.
//
// Z3's types stand in this header, so only this folder includes it.
#pragma once

#include <z3++.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "model/receive/invariant.hpp"
#include "model/receive/rules.hpp"
#include "model/receive/search.hpp"
#include "model/receive/steps.hpp"

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

// `lives` 1: the other request is left out, with everything it could do to the block.
struct State {
  rx::Setting<z3::expr> given;
  std::vector<rx::Life<z3::expr>> lives;
  std::vector<rx::Tie<z3::expr>> ties;
  rx::Page<z3::expr> page;
};

// Variables with a suffix to their names; integers, or words where a search is bounded anyway.
State variables(std::size_t lives, const std::string& suffix, const z3::sort& sort);
std::vector<z3::expr> numbers_of(const State& state);
// "A.phase", "page.refs" ..., in the order of numbers_of.
std::vector<std::string> names_of_numbers(std::size_t lives);
State state_of(const std::vector<z3::expr>& numbers, std::size_t lives);

struct Transition {
  std::size_t who = 0;  // which life; 2: any further request
  rx::Step step = rx::Step::forward;
  rx::Take take = rx::Take::nothing;
  z3::expr guard;
  State next;
};
std::vector<Transition> transitions(const State& state, const Fault& fault);

z3::expr initial(const State& state);
// The facts of each life and, of two, of the block between them (model/receive/invariant.hpp).
z3::expr invariant(const State& state);
z3::expr broken(const State& state, rx::Rule rule);

// Rules that look at one life alone are about a system without the other request: nothing of it reaches them.
// Of the first life: no step but the turn of the runner, in either half of it, and it has not ended.
z3::expr nothing_can_happen(const State& state, const Fault& fault);

bool needs_other(rx::Rule rule);

}  // namespace pageproof::proof::receive_proof
