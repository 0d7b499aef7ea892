// Every request ends: a rank of two natural numbers that every step but the runner's turn lowers, and a step
// that can happen wherever the request has not ended. The facts on which both rest are kept by every step.
#include <chrono>
#include <functional>

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
expr left(const rx::Setting<expr>& given, const rx::Life<expr>& s) {
  z3::context& context = s.phase.ctx();
  const auto of = [&](const expr& condition, int weight) {
    return z3::ite(condition, context.int_val(weight), context.int_val(0));
  };
  const expr engine =
      z3::ite(s.engine == rx::kAbsent, of(s.phase <= rx::kWaiting && s.bad == 0, 4), 4 - s.engine);
  return engine + s.zero + 2 * (s.reads - s.posted) + s.outstanding + of(s.bad == 0, 1) +
         2 * (given.layers - s.launched) + (s.launched - s.retired) + 3 * s.steps + of(s.decode == 1, 2) +
         of(s.decode == 2, 1) + s.others + of(s.prefill == rx::kHeld, 2) + s.duplicate;
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

}  // namespace

expr nothing_can_happen(const State& state, const Fault& fault) {
  // In either half of the runner's turn.
  z3::context& context = state.page.refs.ctx();
  expr stuck = context.bool_val(true);
  for (const int turn : {0, 1}) {
    State there = state;
    there.lives[0].turn = context.num_val(turn, state.page.refs.get_sort());
    for (const Transition& transition : transitions(there, fault)) {
      if (transition.step != rx::Step::forward && transition.who == 0) stuck = stuck && !transition.guard;
    }
  }
  return stuck && state.lives[0].phase != rx::kEnded;
}

std::vector<FactRow> block_rows(const Fault& fault, std::uint32_t seed) {
  constexpr const char* kWho[] = {"A: ", "B: ", "any other: "};
  std::vector<FactRow> rows;
  try {
    z3::context context;
    const State state = variables(2, "", context.int_sort());
    const expr facts = invariant(state);
    rows.push_back(asked(context, "facts hold at the start", {initial(state), !facts}, seed));
    for (const Transition& transition : transitions(state, fault)) {
      rows.push_back(asked(context, std::string(kWho[transition.who]) + words(transition),
                           {facts, transition.guard, !invariant(transition.next)}, seed));
    }
    for (int rule = 0; rule < rx::kRules; ++rule) {
      const auto one = static_cast<rx::Rule>(rule);
      rows.push_back(
          asked(context, "rule " + std::string(rx::to_string(one)), {facts, broken(state, one)}, seed));
    }
  } catch (const z3::exception& error) {
    rows.push_back({.name = error.msg()});
  }
  return rows;
}

std::vector<FactRow> rank_rows(const Fault& fault, std::uint32_t seed) {
  std::vector<FactRow> rows;
  try {
    z3::context context;
    const State state = variables(1, "", context.int_sort());
    const expr facts = invariant(state);
    rows.push_back(asked(context, "facts hold at the start", {initial(state), !facts}, seed));
    for (const Transition& transition : transitions(state, fault)) {
      const std::string step = words(transition);
      rows.push_back(asked(context, step + " keeps the facts",
                           {facts, transition.guard, !invariant(transition.next)}, seed));
      if (transition.step == rx::Step::forward) continue;
      const expr stages = stage(state.lives[0]);
      const expr next_stages = stage(transition.next.lives[0]);
      const expr lowered = next_stages < stages ||
                           (next_stages == stages && left(transition.next.given, transition.next.lives[0]) <
                                                         left(state.given, state.lives[0]));
      rows.push_back(asked(context, step + " lowers the rank", {facts, transition.guard, !lowered}, seed));
    }
    rows.push_back(asked(context, "the rank is no negative number",
                         {facts, left(state.given, state.lives[0]) < 0}, seed));
    // Conversions of another request that this one shares run by themselves: nothing is waited for here.
    const expr alone = state.ties[0].shares == 0 && state.page.started == state.page.finished;
    rows.push_back(asked(context, "something can happen before the end",
                         {facts, alone, nothing_can_happen(state, fault)}, seed));
  } catch (const z3::exception& error) {
    rows.push_back({.name = error.msg()});
  }
  return rows;
}

}  // namespace pageproof::proof::receive_proof
