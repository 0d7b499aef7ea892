// Every request ends: a rank of two natural numbers that no step raises and every promised step lowers, and a
// promised step that can be taken wherever the request has not ended. Both rest on the facts of
// invariant.hpp, which every step keeps.
#include <chrono>

#include "oracle/proof/receive/engines.hpp"
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

FactRow asked(z3::context& context, const std::string& name, const std::vector<expr>& assumptions,
              std::uint32_t seed) {
  FactRow row{.name = name};
  const auto start = std::chrono::steady_clock::now();
  z3::solver solver(context);
  z3::params params(context);
  params.set("random_seed", seed);
  params.set("rlimit", kResourceLimit);
  solver.set(params);
  for (const expr& assumption : assumptions) solver.add(assumption);
  const z3::check_result answer = solver.check();
  row.answer = answer == z3::unsat ? Answer::unsat : answer == z3::sat ? Answer::sat : Answer::unknown;
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return row;
}

std::string words(const Transition& transition) {
  constexpr const char* kTakes[] = {"", " of the block", " sharing the block"};
  std::string text(rx::to_string(transition.step));
  if (transition.step == rx::Step::allocate) text += kTakes[static_cast<int>(transition.take)];
  return text;
}

// The facts at the start, and over every step.
void append_induction(std::vector<FactRow>& rows, Size size, const Fault& fault, std::uint32_t seed) {
  constexpr const char* kWho[] = {"A: ", "B: ", "any other: "};
  z3::context context;
  const State state = variables(size, "", context.int_sort());
  const expr facts = invariant(state);
  rows.push_back(asked(context, "facts hold at the start", {initial(state), !facts}, seed));
  for (const Transition& transition : transitions(state, fault)) {
    rows.push_back(asked(context, kWho[transition.who] + words(transition) + " keeps the facts",
                         {facts, transition.guard, !invariant(transition.next)}, seed));
  }
}

// Calls ask(); what Z3 throws becomes a row without an answer.
template <class Ask>
std::vector<FactRow> rows_of(Ask&& ask) {
  std::vector<FactRow> rows;
  try {
    ask(rows);
  } catch (const z3::exception& error) {
    rows.push_back({.name = error.msg()});
  }
  return rows;
}

}  // namespace

expr nothing_can_happen(const State& state, const Fault& fault) {
  expr stuck = state.lives[0].phase != rx::kEnded;
  for (const int turn : {0, 1}) {
    State there = state;
    there.lives[0].turn = state.page.refs.ctx().num_val(turn, state.page.refs.get_sort());
    for (const Transition& transition : transitions(there, fault)) {
      if (transition.who != 0) continue;
      stuck = stuck && !(transition.guard && rx::is_promised(transition.step, there.lives[0], fault.lease));
    }
  }
  return stuck;
}

std::vector<FactRow> fact_rows(const Fault& fault, std::uint32_t seed) {
  return rows_of([&](std::vector<FactRow>& rows) {
    for (const std::size_t engines : {1, 2}) append_induction(rows, {2, engines}, fault, seed);
  });
}

FactRow rule_row(rx::Rule rule, std::uint32_t seed) {
  return rows_of([&](std::vector<FactRow>& rows) {
           z3::context context;
           const State state = variables({2, 2}, "", context.int_sort());
           const std::string name = "rule " + std::string(rx::to_string(rule));
           rows.push_back(asked(context, name, {invariant(state), broken(state, rule)}, seed));
         })
      .front();
}

FactRow progress_row(const Fault& fault, std::uint32_t seed) {
  return rows_of([&](std::vector<FactRow>& rows) {
           z3::context context;
           const State state = variables({}, "", context.int_sort());
           // Conversions of another request that this one shares run by themselves: nothing is waited for
           // here.
           const expr alone = state.ties[0].shares == 0 && state.page.started == state.page.finished;
           rows.push_back(asked(context, "a promised step can be taken before the end",
                                {invariant(state), alone, nothing_can_happen(state, fault)}, seed));
         })
      .front();
}

std::vector<FactRow> rank_rows(std::uint32_t seed) {
  auto all = rows_of([&](std::vector<FactRow>& rows) {
    append_induction(rows, {}, {}, seed);
    z3::context context;
    const State state = variables({}, "", context.int_sort());
    const expr facts = invariant(state);
    const expr stages = stage(state.lives[0]);
    const expr todo = left(state.given, state.lives[0], state.engines[0]);
    rows.push_back(asked(context, "the rank is no negative number", {facts, todo < 0}, seed));
    for (const Transition& transition : transitions(state, {})) {
      const expr next_stages = stage(transition.next.lives[0]);
      const expr next_todo =
          left(transition.next.given, transition.next.lives[0], transition.next.engines[0]);
      const expr lowered = next_stages < stages || (next_stages == stages && next_todo < todo);
      const expr kept = lowered || (next_stages == stages && next_todo == todo);
      const expr promised = rx::is_promised(transition.step, state.lives[0], true);
      rows.push_back(asked(context,
                           words(transition) + " lowers the rank where promised, and never raises it",
                           {facts, transition.guard, !kept || (promised && !lowered)}, seed));
    }
  });
  all.push_back(progress_row({}, seed));
  all.push_back(progress_row({rx::Guard::none, {rx::Step::tell_abort}, true}, seed));
  all.back().name += ", by a lease instead of a notice";
  return all;
}

}  // namespace pageproof::proof::receive_proof
