// What is claimed and assumed of symbolic numbers: comparisons, and, or, not. No quantifier: a free variable
// stands for every value.
#pragma once

#include <vector>

#include "oracle/proof/sym.hpp"

namespace pageproof::proof {

struct Formula {
  enum class Kind : std::uint8_t { equal, less, at_most, all, any, negation };
  Kind kind = Kind::all;
  std::vector<Sym> terms;      // of a comparison: left and right
  std::vector<Formula> parts;  // of all, any and negation
};

inline Formula equal(const Sym& a, const Sym& b) {
  return {Formula::Kind::equal, {a, b}, {}};
}
inline Formula less(const Sym& a, const Sym& b) {
  return {Formula::Kind::less, {a, b}, {}};
}
inline Formula at_most(const Sym& a, const Sym& b) {
  return {Formula::Kind::at_most, {a, b}, {}};
}
inline Formula all_of(std::vector<Formula> parts) {
  return {Formula::Kind::all, {}, std::move(parts)};
}
inline Formula any_of(std::vector<Formula> parts) {
  return {Formula::Kind::any, {}, std::move(parts)};
}
inline Formula negation(const Formula& part) {
  return {Formula::Kind::negation, {}, {part}};
}
inline Formula implies(const Formula& a, const Formula& b) {
  return any_of({negation(a), b});
}
inline Formula iff(const Formula& a, const Formula& b) {
  return all_of({implies(a, b), implies(b, a)});
}
// 0 <= value < bound.
inline Formula within(const Sym& value, const Sym& bound) {
  return all_of({at_most(Sym(0), value), less(value, bound)});
}

// Plain integers; nothing where a number has no value (see evaluate of Sym).
std::optional<bool> evaluate(const Formula& formula, const Values& values);

// Names of the variables that the solver sees.
void variables_of(const Sym& sym, std::vector<std::string>& names);
void variables_of(const Formula& formula, std::vector<std::string>& names);

}  // namespace pageproof::proof
