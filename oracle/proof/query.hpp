// One question to a solver: do the assumptions imply the goal? What Z3 is asked, what cvc5 is asked and what
// is exported is one text, the SMT-LIB 2 script that asserts the assumptions and the negated goal: `unsat`
// proves.
#pragma once

#include "oracle/proof/scope.hpp"

namespace pageproof::proof {

// Products of two variables get a name each (p with p = a · b), so that a solver sees small facts; or the
// polynomials stay as they are, where a claim is settled by multiplying out.
enum class Form : std::uint8_t { named, polynomial };

// What part of an obligation a query is.
//   step      one step of an induction over the digits
//   cut       a proposed quotient and remainder are right
//   identity  two polynomials are equal
//   whole     anything else
//   guard     the assumptions can hold at all (expected sat)
enum class Part : std::uint8_t { step, cut, identity, whole, guard };

struct Query {
  std::string name;   // "format.standard.k.x8.bounds.2"
  std::string claim;  // in words
  Part part = Part::whole;
  Form form = Form::named;
  std::vector<Formula> assumptions;
  Formula goal;

  bool expects_sat() const { return part == Part::guard; }
};

// The assumptions that share a variable with the goal, directly or through each other. Dropping the others is
// sound.
std::vector<Formula> relevant(const std::vector<Formula>& assumptions, const Formula& goal);

// The same question over what the scope assumes.
Query query(const Scope& scope, std::string name, std::string claim, Part part, const Formula& goal);

// The query asking whether assumptions can hold.
Query guard_of(const Query& query);

// Two queries a cut: value = quotient · radix + remainder, and 0 <= remainder < radix.
std::vector<Query> cut_queries(const Scope& scope, const std::string& name);

// The script without its name: declarations, assertions. Equal bodies are one question.
std::string body(const Query& query);
// The whole file: name, claim and expected answer first, (check-sat) last. A mutant's query is expected sat.
std::string to_smtlib(const Query& query, bool mutant = false);

std::string to_string(Part part);

}  // namespace pageproof::proof
