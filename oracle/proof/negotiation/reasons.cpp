// Every reason is the first of some pair, and the only one of some pair unless other rules imply it.
#include <fmt/format.h>

#include "oracle/proof/negotiation/table.hpp"

namespace pageproof::proof {
namespace {

using handshake::Reason;

// What implies a rule, so that it is never the only one that fails; nothing for the others. A minimal set:
// the proof that it implies the rule and the fault that leaves it out are both among the queries.
std::vector<Reason> implied_by(Reason reason) {
  if (reason == Reason::tag_missing) return {Reason::remote_not_standard};
  return {};
}

Query possible(const std::string& name, const std::string& claim, const Scope& scope) {
  return {name, claim, Part::guard, Form::polynomial, scope.assumptions(), any_of({})};
}

Obligation first_reason() {
  const std::string name = "negotiation.first_reason";
  Obligation o{.name = name,
               .claim = "every reason is the first that fails of some pair",
               .shapes = "one pair a reason"};
  Scope names;
  for (const Rule& rule : conversion_rules(pair_in(names).facts)) {
    Scope scope;
    const SymbolicPair pair = pair_in(scope);
    const Rules rules = conversion_rules(pair.facts);
    for (const Rule& earlier : before(rules, rule.reason)) scope.assume(earlier.holds);
    scope.assume(negation(rule_of(rules, rule.reason)));
    o.queries.push_back(possible(fmt::format("{}.{}", name, name_of(rule.reason)),
                                 "all rules before it hold, and it fails", scope));
  }
  // Fault: a rule that the one before it makes superfluous.
  Scope wrong;
  const SymbolicPair p = pair_in(wrong);
  const Rules rules = conversion_rules(p.facts);
  o.mutants.push_back(
      mutant(wrong, name + ".superfluous", "where the tokens are equal they are in scope",
             implies(rule_of(rules, Reason::tokens_unequal), rule_of(rules, Reason::tokens_out_of_scope)),
             pair_example(p, "16 or 32 tokens", "equal, and neither")));
  return o;
}

Obligation sole_reason() {
  const std::string name = "negotiation.sole_reason";
  Obligation o{.name = name,
               .claim =
                   "every reason but tag_missing is the only one of some pair; remote_not_standard alone "
                   "implies tag_missing, which stands before it for its message",
               .shapes = "one pair a reason"};
  Scope names;
  for (const Rule& rule : conversion_rules(pair_in(names).facts)) {
    Scope scope;
    const SymbolicPair pair = pair_in(scope);
    const Rules rules = conversion_rules(pair.facts);
    const std::vector<Reason> implying = implied_by(rule.reason);
    const std::string title = fmt::format("{}.{}", name, name_of(rule.reason));
    if (implying.empty()) {
      for (const Rule& other : without(rules, rule.reason)) scope.assume(other.holds);
      scope.assume(negation(rule_of(rules, rule.reason)));
      o.queries.push_back(possible(title, "all other rules hold, and it fails", scope));
    } else {
      for (const Reason other : implying) scope.assume(rule_of(rules, other));
      o.queries.push_back(query(scope, title + ".implied", "it follows from remote_not_standard alone",
                                Part::whole, rule_of(rules, rule.reason)));
    }
    // Fault: the table without it. What implies an implied rule goes too.
    Scope wrong;
    const SymbolicPair p = pair_in(wrong);
    const Rules all = conversion_rules(p.facts);
    Rules rest = without(all, rule.reason);
    for (const Reason other : implying) rest = without(std::move(rest), other);
    for (const Rule& other : rest) wrong.assume(other.holds);
    o.mutants.push_back(
        mutant(wrong, title + ".dropped", "the other rules imply it", rule_of(all, rule.reason),
               pair_example(p, "rejected: " + name_of(rule.reason), "accepted by the other rules")));
  }
  return o;
}

}  // namespace

std::vector<Obligation> reason_obligations() {
  return {first_reason(), sole_reason()};
}

}  // namespace pageproof::proof
