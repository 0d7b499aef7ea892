// Every request ends: a rank of two natural numbers that no step raises and every promised step lowers, and a
// promised step that can be taken wherever the request has not ended. Both rest on the facts of
// invariant.hpp, which every step keeps.
#include "oracle/proof/receive/engines.hpp"
#include "oracle/proof/receive/queries.hpp"
#include "oracle/proof/receive/system.hpp"

namespace pageproof::proof::receive_proof {
namespace {

using z3::expr;

// How far a request is from its end, first by phase.
expr stage(const rx::Life<expr>& s) {
  // The order in which phases follow each other; a failure that is computed here is scheduled after all.
  constexpr int kStages[rx::kPhases] = {11, 10, 9, 8, 7, 6, 3, 5, 4, 2, 1, 0};
  expr value = s.phase.ctx().int_val(0);
  for (int phase = 0; phase < rx::kPhases; ++phase) {
    value = z3::ite(s.phase == phase, s.phase.ctx().int_val(kStages[phase]), value);
  }
  return value;
}

// Then by what is left to do in it.
expr left(const rx::Setting<expr>& given, const rx::Life<expr>& s, const rx::Engine<expr>& engine) {
  z3::context& context = s.phase.ctx();
  const auto of = [&](const expr& condition, int weight) {
    return z3::ite(condition, context.int_val(weight), context.int_val(0));
  };
  const expr handshake = z3::ite(rx::needs_engine(s), 4 - engine.state, context.int_val(0));
  return handshake + 4 * engine.losses + 2 * engine.strangers + engine.inside + s.zero +
         2 * (s.reads - s.posted) + s.outstanding + of(s.bad == 0, 1) + 2 * (given.layers - s.launched) +
         (s.launched - s.retired) + 3 * s.steps + of(s.decode == 1, 2) + of(s.decode == 2, 1) + s.others +
         of(s.prefill == rx::kHeld, 2) + s.duplicate + of(s.aborted == 0, 1) + of(s.heard == 0, 1);
}

}  // namespace

expr nothing_can_happen(const State& state, const Fault& fault) {
  expr stuck = state.lives[0].phase != rx::kEnded;
  for (const int turn : {0, 1}) {
    State there = state;
    there.lives[0].turn = state.page.refs.ctx().num_val(turn, state.page.refs.get_sort());
    for (const Transition& transition : transitions(there, fault)) {
      const bool runs_for_it = transition.who == 1 && transition.step == rx::Step::retire_layer;
      if (transition.who != 0 && !runs_for_it) continue;
      stuck = stuck && !(transition.guard &&
                         rx::is_promised(transition.step, there.lives[transition.who], fault.lease));
    }
  }
  return stuck;
}

// The request may fill the block, or use it as a prefix that another one fills: so with two of them.
FactRow progress_row(const Fault& fault, std::uint32_t seed) {
  return rows_of([&](std::vector<FactRow>& rows) {
           z3::context context;
           const State state = variables({2, 2}, "", context.int_sort());
           rows.push_back(asked(context, "a promised step can be taken before the end",
                                {invariant(state), nothing_can_happen(state, fault)}, seed));
         })
      .front();
}

namespace {

// A promised step of the first life lowers its rank, and no step of anybody raises it. What others do to its
// engine are steps of its own, counted in the rank; the other has an engine apart, so it meets in the block.
void append_rank(std::vector<FactRow>& rows, std::uint32_t seed) {
  z3::context context;
  const State state = variables({2, 2}, "", context.int_sort());
  const expr facts = invariant(state);
  const auto todo_of = [](const State& at) { return left(at.given, at.lives[0], at.engines[0]); };
  const expr stages = stage(state.lives[0]);
  const expr todo = todo_of(state);
  rows.push_back(asked(context, "the rank is no negative number", {facts, todo < 0}, seed));
  for (const Transition& transition : transitions(state, {})) {
    const expr next_stages = stage(transition.next.lives[0]);
    const expr next_todo = todo_of(transition.next);
    const expr lowered = next_stages < stages || (next_stages == stages && next_todo < todo);
    const expr kept = lowered || (next_stages == stages && next_todo == todo);
    expr wrong = !kept;
    std::string claim = words(transition) + " never raises the rank";
    if (transition.who == 0) {
      wrong = wrong || (rx::is_promised(transition.step, state.lives[0], true) && !lowered);
      claim += ", and lowers it where promised";
    }
    rows.push_back(asked(context, claim, {facts, transition.guard, wrong}, seed));
  }
}

}  // namespace

std::vector<FactRow> rank_rows(std::uint32_t seed) {
  std::vector<FactRow> all = rows_of([&](std::vector<FactRow>& rows) { append_rank(rows, seed); });
  all.push_back(progress_row({}, seed));
  all.push_back(progress_row({rx::Guard::none, {rx::Step::tell_abort}, true}, seed));
  all.back().name += ", by a lease instead of a notice";
  return all;
}

}  // namespace pageproof::proof::receive_proof
