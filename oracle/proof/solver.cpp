#include "oracle/proof/solver.hpp"

#include <z3++.h>

#include <chrono>

namespace pageproof::proof {
namespace {

// A polynomial claim is settled by multiplying out before anything else.
z3::solver solver_for(z3::context& context, Form form, Effort effort) {
  if (effort == Effort::search) return z3::tactic(context, "smt").mk_solver();
  if (form == Form::named) return z3::solver(context);
  z3::params multiply_out(context);
  multiply_out.set("som", true);
  const z3::tactic simplify = z3::with(z3::tactic(context, "simplify"), multiply_out);
  return (simplify & z3::tactic(context, "smt")).mk_solver();
}

Values model_of(const z3::model& model) {
  Values values;
  for (unsigned i = 0; i < model.num_consts(); ++i) {
    const z3::func_decl constant = model.get_const_decl(i);
    std::int64_t value = 0;
    if (model.get_const_interp(constant).is_numeral_i64(value)) values[constant.name().str()] = value;
  }
  return values;
}

std::uint64_t resources_of(const z3::stats& stats) {
  for (unsigned i = 0; i < stats.size(); ++i) {
    if (stats.key(i) == "rlimit count") return stats.uint_value(i);
  }
  return 0;
}

}  // namespace

Solved solve(const Query& query, std::uint32_t seed, std::uint32_t resource_limit, Effort effort) {
  Solved solved;
  const auto start = std::chrono::steady_clock::now();
  try {
    z3::context context;
    z3::solver solver = solver_for(context, query.form, effort);
    z3::params params(context);
    params.set("rlimit", resource_limit);
    params.set("random_seed", seed);
    solver.set(params);
    solver.from_string(body(query).c_str());
    switch (solver.check()) {
      case z3::unsat:
        solved.answer = Answer::unsat;
        break;
      case z3::sat:
        solved.answer = Answer::sat;
        solved.model = model_of(solver.get_model());
        break;
      case z3::unknown:
        solved.why = solver.reason_unknown();
        break;
    }
    solved.resources = resources_of(solver.statistics());
  } catch (const z3::exception& error) {
    solved.answer = Answer::unknown;
    solved.why = error.msg();
  }
  solved.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return solved;
}

std::string solver_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned build = 0;
  unsigned revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return "Z3 " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

std::string to_string(Answer answer) {
  switch (answer) {
    case Answer::unsat:
      return "unsat";
    case Answer::sat:
      return "sat";
    case Answer::unknown:
      break;
  }
  return "unknown";
}

}  // namespace pageproof::proof
