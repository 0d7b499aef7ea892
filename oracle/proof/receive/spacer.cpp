// Every state that one request can reach, as a Horn clause for each transition; Spacer looks for an invariant
// that keeps a rule, whatever the numbers of reads, layers, workers and decode steps. It is given no fact.
#include <chrono>
#include <string>

#include "oracle/proof/receive/engines.hpp"
#include "oracle/proof/receive/system.hpp"

namespace pageproof::proof::receive_proof {

namespace {

// Every number as it is there. Both list them in one order.
z3::expr is_at(const State& state, const rx::System& there) {
  const std::vector<z3::expr> numbers = numbers_of(state);
  z3::expr all = numbers.front().ctx().bool_val(true);
  std::size_t place = 0;
  rx::visit_numbers(there, [&](const int& number) { all = all && numbers[place++] == number; });
  return all;
}

}  // namespace

Reached spacer(rx::Rule rule, const Fault& fault, std::uint32_t seed, std::uint32_t resource_limit,
               const rx::System* from) {
  using z3::expr;
  Reached reached;
  const auto start = std::chrono::steady_clock::now();
  try {
    z3::config config;
    config.set("rlimit", std::to_string(resource_limit).c_str());
    z3::context context(config);
    z3::fixedpoint engine(context);
    z3::params params(context);
    params.set("engine", context.str_symbol("spacer"));
    params.set("spacer.random_seed", seed);
    params.set("xform.slice", true);
    engine.set(params);
    const State state = variables({}, "", context.int_sort());
    const std::vector<expr> numbers = numbers_of(state);
    z3::sort_vector sorts(context);
    z3::expr_vector bound(context);
    for (const expr& number : numbers) {
      sorts.push_back(context.int_sort());
      bound.push_back(number);
    }
    z3::func_decl reach = context.function("reach", sorts, context.bool_sort());
    z3::func_decl bad = context.function("bad", 0, nullptr, context.bool_sort());
    engine.register_relation(reach);
    engine.register_relation(bad);
    const auto at = [&](const State& there) {
      z3::expr_vector arguments(context);
      for (const expr& number : numbers_of(there)) arguments.push_back(number);
      return reach(arguments);
    };
    std::size_t rules = 0;
    const auto add = [&](const expr& body, const expr& head) {
      expr clause = z3::forall(bound, z3::implies(body, head));
      engine.add_rule(clause, context.str_symbol(("r" + std::to_string(rules++)).c_str()));
    };
    add(from == nullptr ? initial(state) : initial(state) && is_at(state, *from), at(state));
    for (const Transition& transition : transitions(state, fault)) {
      add(at(state) && transition.guard, at(transition.next));
    }
    add(at(state) && broken(state, rule), bad());
    reached.clauses = rules;
    expr query = bad();
    const z3::check_result answer = engine.query(query);
    reached.answer = answer == z3::unsat ? Answer::unsat : answer == z3::sat ? Answer::sat : Answer::unknown;
    if (answer == z3::unknown) reached.why = engine.reason_unknown();
  } catch (const z3::exception& error) {
    reached.answer = Answer::unknown;
    reached.why = error.msg();
  }
  reached.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return reached;
}

}  // namespace pageproof::proof::receive_proof
