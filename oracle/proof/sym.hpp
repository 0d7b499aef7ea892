// A symbolic natural number: what the templates of the model and of the oracle compute with when a solver
// reads them. It is an expression and nothing more; it is never simplified, but that literals are computed.
//
// Division is where symbols need help. `split(v, r)` gives the quotient and remainder of v by r, and the
// solver sees one of two things in their place:
//   a cut      where v is a·r + rest with 0 <= rest < r, it sees a and rest themselves. Who proposes a and
//   rest
//              is not trusted (polynomial.hpp): the equation and the bounds become queries of their own
//   two names  else it sees fresh q and m with q·r + m = v and 0 <= m < r (true of one pair q, m for r > 0)
// evaluate() divides plainly in both cases, so a counterexample does not rest on a cut.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/page/fold.hpp"

namespace pageproof::proof {

class Scope;
struct Node;

class Sym {
 public:
  explicit Sym(std::uint64_t number);
  explicit Sym(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  const Node& node() const { return *node_; }

 private:
  std::shared_ptr<const Node> node_;
};

struct Node {
  enum class Kind : std::uint8_t { number, variable, sum, product, quotient, remainder };
  Kind kind = Kind::number;
  std::uint64_t number = 0;
  std::string name;
  std::vector<Sym> parts;   // of a sum and a product; value and radix of a quotient and a remainder
  std::optional<Sym> seen;  // of a quotient and a remainder: what the solver sees
  Scope* scope = nullptr;   // where its variables were declared; none for a literal
};

Sym operator+(const Sym& a, const Sym& b);
Sym operator*(const Sym& a, const Sym& b);
page::Split<Sym> split(const Sym& value, const Sym& radix);
inline Sym operator/(const Sym& a, const Sym& b) {
  return split(a, b).quotient;
}
inline Sym operator%(const Sym& a, const Sym& b) {
  return split(a, b).remainder;
}

// The value where the variables have these values; nothing when one is missing, a radix is 0, or an
// intermediate reaches 2^63.
using Values = std::map<std::string, std::int64_t>;
std::optional<std::int64_t> evaluate(const Sym& sym, const Values& values);

}  // namespace pageproof::proof
