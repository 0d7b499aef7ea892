// The rule table read with formulas, as a list; and tables with a fault in them, made by rewriting that list.
#pragma once

#include <functional>

#include "oracle/proof/negotiation/pair.hpp"

namespace pageproof::proof {

struct Rule {
  handshake::Reason reason;
  Formula holds;
};
using Rules = std::vector<Rule>;

// In the order of the table.
Rules conversion_rules(const SymbolicFacts& facts);
Rules match_rules(const SymbolicFacts& facts);

std::string name_of(handshake::Reason reason);

const Formula& rule_of(const Rules& rules, handshake::Reason reason);
std::vector<Formula> formulas_of(const Rules& rules);
Formula all_hold(const Rules& rules);
// The rules before this one.
Rules before(const Rules& rules, handshake::Reason reason);

// Faults: a table without a rule; with one rule's formula rewritten.
Rules without(Rules rules, handshake::Reason reason);
Rules with(Rules rules, handshake::Reason reason, const std::function<Formula(const Formula&)>& rewrite);

// Rewritings: every = as <=; a literal as another; a disjunction's first part alone.
Formula at_most_for_equal(const Formula& formula);
Formula number_for(const Formula& formula, std::uint64_t from, std::uint64_t to);
Formula first_alternative(const Formula& formula);

}  // namespace pageproof::proof
