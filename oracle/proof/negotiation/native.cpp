#include "oracle/proof/negotiation/native.hpp"

#include <z3++.h>

namespace pageproof::proof {
namespace {

using handshake::Reason;
using NativeFacts = handshake::PairFacts<z3::expr, z3::expr>;

handshake::SideFacts<z3::expr> native_side(z3::context& context, const std::string& who) {
  const auto number = [&](const char* name) { return context.int_const((who + name).c_str()); };
  return {number("tag"),   number("layout"),     number("tokens"),           number("blocks_per_logical"),
          number("dtype"), number("tp"),         number("context_parallel"), number("heads"),
          number("dims"),  number("side_bytes"), number("block_len"),        number("regions")};
}

NativeFacts native_facts(z3::context& context) {
  const auto flag = [&](const char* name) { return context.int_const(name) == 1; };
  return {native_side(context, "local."),
          native_side(context, "remote."),
          flag("enabled"),
          flag("rocm"),
          flag("gluon"),
          flag("latent"),
          flag("hybrid"),
          flag("pull"),
          flag("device_memory"),
          flag("names_agree"),
          flag("two_slots"),
          flag("permutes")};
}

// The formula holds and Z3's reading does not, or the other way round: neither may be possible.
bool equivalent(z3::context& context, const Scope& scope, const Formula& formula, const z3::expr& native) {
  for (const bool holds : {true, false}) {
    const Query query{"rule",
                      "",
                      Part::whole,
                      Form::named,
                      relevant(scope.assumptions(), formula),
                      holds ? negation(formula) : formula};
    z3::solver solver(context);
    solver.from_string(body(query).c_str());
    solver.add(holds ? !native : native);
    if (solver.check() != z3::unsat) return false;
  }
  return true;
}

}  // namespace

std::vector<Reason> differing_rules(const std::function<Formula(const Rule&)>& spoil) {
  Scope scope;
  const SymbolicPair pair = pair_in(scope);
  Rules rules = conversion_rules(pair.facts);
  for (Rule& rule : match_rules(pair.facts)) rules.push_back(std::move(rule));
  z3::context context;
  std::vector<std::pair<Reason, z3::expr>> natives;
  const auto collect = [&](Reason reason, const z3::expr& holds) { natives.emplace_back(reason, holds); };
  const NativeFacts facts = native_facts(context);
  handshake::visit_conversion_rules(facts, collect);
  handshake::visit_match_rules(facts, collect);
  std::vector<Reason> differing;
  for (std::size_t i = 0; i < natives.size(); ++i) {
    const Formula formula = spoil ? spoil(rules[i]) : rules[i].holds;
    const bool same =
        rules[i].reason == natives[i].first && equivalent(context, scope, formula, natives[i].second);
    if (!same) differing.push_back(natives[i].first);
  }
  return differing;
}

}  // namespace pageproof::proof
