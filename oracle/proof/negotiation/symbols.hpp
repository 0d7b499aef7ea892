// The operators with which the rule table (model/handshake/rules.hpp) is written, over symbolic numbers and
// formulas: the table itself is read, nothing of it is stated again. Only this folder sees them, since an ==
// that gives a formula is no == for anything else.
#pragma once

#include "model/handshake/rules.hpp"
#include "oracle/proof/scope.hpp"

namespace pageproof::proof {

inline Sym literal(int number) {
  return Sym(static_cast<std::uint64_t>(number));
}

inline Formula operator==(const Sym& a, const Sym& b) {
  return equal(a, b);
}
inline Formula operator==(const Sym& a, int b) {
  return equal(a, literal(b));
}
inline Formula operator!=(const Sym& a, int b) {
  return negation(equal(a, literal(b)));
}
inline Sym operator*(int a, const Sym& b) {
  return literal(a) * b;
}
inline Sym operator%(const Sym& a, int b) {
  return a % literal(b);
}
inline Formula operator!(const Formula& a) {
  return negation(a);
}
inline Formula operator||(const Formula& a, const Formula& b) {
  return any_of({a, b});
}

}  // namespace pageproof::proof
