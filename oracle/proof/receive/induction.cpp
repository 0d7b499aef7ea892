// An induction over facts that are written down (model/receive/invariant.hpp): they hold at the start, and
// every step of two requests keeps them. And the same with a care left out or a false fact among them, where
// it has to fail.
#include <chrono>
#include <functional>

#include "oracle/proof/receive/engines.hpp"
#include "oracle/proof/receive/queries.hpp"
#include "oracle/proof/receive/system.hpp"

namespace pageproof::proof::receive_proof {

using z3::expr;

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
  constexpr const char* kWho[] = {"A: ", "B: ", "any other: "};
  std::string text = kWho[transition.who] + std::string(rx::to_string(transition.step));
  if (transition.step == rx::Step::allocate) text += kTakes[static_cast<int>(transition.take)];
  return text;
}

namespace {

constexpr std::size_t kEngines[] = {1, 2};

void append_induction(std::vector<FactRow>& rows, Size size, std::uint32_t seed) {
  z3::context context;
  const State state = variables(size, "", context.int_sort());
  const expr facts = invariant(state);
  rows.push_back(asked(context, "facts hold at the start", {initial(state), !facts}, seed));
  for (const Transition& transition : transitions(state, {})) {
    rows.push_back(asked(context, words(transition) + " keeps the facts",
                         {facts, transition.guard, !invariant(transition.next)}, seed));
  }
}

// The same expressions, so that a query about the one answers one about the other.
bool are_same(const Transition& a, const Transition& b) {
  const std::vector<expr> left = numbers_of(a.next);
  const std::vector<expr> right = numbers_of(b.next);
  bool same = z3::eq(a.guard, b.guard) && left.size() == right.size();
  for (std::size_t i = 0; same && i < left.size(); ++i) same = z3::eq(left[i], right[i]);
  return same;
}

// Of those that the fault changes: the first step that does not keep the facts.
void append_broken_step(std::vector<FactRow>& rows, Size size, rx::Guard without, std::uint32_t seed) {
  z3::context context;
  const State state = variables(size, "", context.int_sort());
  const expr facts = invariant(state);
  const std::vector<Transition> right = transitions(state, {});
  const std::vector<Transition> wrong = transitions(state, {without, {}});
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    if (are_same(right[i], wrong[i])) continue;
    FactRow row = asked(context, words(wrong[i]) + " keeps the facts",
                        {facts, wrong[i].guard, !invariant(wrong[i].next)}, seed);
    if (row.answer != Answer::sat) continue;
    rows.push_back(std::move(row));
    return;
  }
}

void append_false_step(std::vector<FactRow>& rows, FalseFact fact, std::uint32_t seed) {
  z3::context context;
  const State state = variables({2, 1}, "", context.int_sort());
  const auto claims = [&](const State& at) { return invariant(at) && holds(fact, at.lives[0], at.page); };
  for (const Transition& transition : transitions(state, {})) {
    FactRow row = asked(context, words(transition) + " keeps the facts",
                        {claims(state), transition.guard, !claims(transition.next)}, seed);
    if (row.answer != Answer::sat) continue;
    rows.push_back(std::move(row));
    return;
  }
}

// What was found to fail, if anything was.
std::optional<FactRow> first_of(const std::vector<FactRow>& rows) {
  if (rows.empty() || rows.front().answer != Answer::sat) return std::nullopt;
  return rows.front();
}

}  // namespace

std::vector<FactRow> fact_rows(std::uint32_t seed) {
  return rows_of([&](std::vector<FactRow>& rows) {
    for (const std::size_t engines : kEngines) append_induction(rows, {2, engines}, seed);
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

std::optional<FactRow> broken_step(rx::Guard without, std::uint32_t seed) {
  return first_of(rows_of([&](std::vector<FactRow>& rows) {
    for (const std::size_t engines : kEngines) {
      if (rows.empty()) append_broken_step(rows, {2, engines}, without, seed);
    }
  }));
}

std::optional<FactRow> broken_step(FalseFact fact, std::uint32_t seed) {
  return first_of(rows_of([&](std::vector<FactRow>& rows) { append_false_step(rows, fact, seed); }));
}

}  // namespace pageproof::proof::receive_proof
