#include "oracle/proof/negotiation/table.hpp"

#include <algorithm>
#include <cassert>

#include "model/handshake/reason.hpp"

namespace pageproof::proof {
namespace {

using handshake::Reason;

Sym number_in(const Sym& sym, std::uint64_t from, std::uint64_t to) {
  const Node& node = sym.node();
  if (node.kind == Node::Kind::number) return node.number == from ? Sym(to) : sym;
  if (node.kind == Node::Kind::product) {
    return number_in(node.parts[0], from, to) * number_in(node.parts[1], from, to);
  }
  return sym;
}

}  // namespace

Rules conversion_rules(const SymbolicFacts& facts) {
  Rules rules;
  handshake::visit_conversion_rules(
      facts, [&](Reason reason, const Formula& holds) { rules.push_back({reason, holds}); });
  return rules;
}

Rules match_rules(const SymbolicFacts& facts) {
  Rules rules;
  handshake::visit_match_rules(
      facts, [&](Reason reason, const Formula& holds) { rules.push_back({reason, holds}); });
  return rules;
}

std::string name_of(Reason reason) {
  return std::string(handshake::to_string(reason));
}

const Formula& rule_of(const Rules& rules, Reason reason) {
  const auto found = std::ranges::find(rules, reason, &Rule::reason);
  assert(found != rules.end());
  return found->holds;
}

std::vector<Formula> formulas_of(const Rules& rules) {
  std::vector<Formula> formulas;
  for (const Rule& rule : rules) formulas.push_back(rule.holds);
  return formulas;
}

Formula all_hold(const Rules& rules) {
  return all_of(formulas_of(rules));
}

Rules before(const Rules& rules, Reason reason) {
  return {rules.begin(), std::ranges::find(rules, reason, &Rule::reason)};
}

Rules without(Rules rules, Reason reason) {
  std::erase_if(rules, [reason](const Rule& rule) { return rule.reason == reason; });
  return rules;
}

Rules with(Rules rules, Reason reason, const std::function<Formula(const Formula&)>& rewrite) {
  for (Rule& rule : rules) {
    if (rule.reason == reason) rule.holds = rewrite(rule.holds);
  }
  return rules;
}

Formula at_most_for_equal(const Formula& formula) {
  Formula out = formula;
  if (out.kind == Formula::Kind::equal) out.kind = Formula::Kind::at_most;
  for (Formula& part : out.parts) part = at_most_for_equal(part);
  return out;
}

Formula number_for(const Formula& formula, std::uint64_t from, std::uint64_t to) {
  Formula out = formula;
  for (Sym& term : out.terms) term = number_in(term, from, to);
  for (Formula& part : out.parts) part = number_for(part, from, to);
  return out;
}

Formula first_alternative(const Formula& formula) {
  assert(formula.kind == Formula::Kind::any && !formula.parts.empty());
  return formula.parts.front();
}

}  // namespace pageproof::proof
