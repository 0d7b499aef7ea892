// What acceptance is for: theorems about the bytes of an accepted pair, each with the rules as named
// premises, so that one can ask which of them it needs (cores.hpp). What a theorem says of the world is
// assumed whatever the rules say, and stands at its definition: a tag and a layout say how pages lie, equal
// TP sizes that rank k reads rank k.
#pragma once

#include "oracle/proof/negotiation/table.hpp"

namespace pageproof::proof {

struct RuleTheorem {
  std::string name;   // "lengths"
  std::string claim;  // in a sentence
  std::string world;  // what it assumes beside pair_in(), in a sentence; may be empty
  std::vector<Formula> assumed;
  Rules rules;  // the conversion table, as premises
  Formula goal;
  // A pair that breaks the goal once the rules that it needs are dropped.
  Shown coordinate;  // what its example shows beside the pair
  SymbolicPair pair;
};

// In the order of the report. All of them; the scopes of their variables live as long as the program.
const std::vector<RuleTheorem>& rule_theorems();

// Do these rules, and what is assumed, imply the goal?
Query question_of(const RuleTheorem& theorem, const Rules& rules, const std::string& name);

}  // namespace pageproof::proof
