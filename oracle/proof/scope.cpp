#include "oracle/proof/scope.hpp"

namespace pageproof::proof {

Sym Scope::known(const std::string& name) {
  return Sym(std::make_shared<const Node>(
      Node{.kind = Node::Kind::variable, .name = name, .parts = {}, .seen = {}, .scope = this}));
}

Sym Scope::size(const std::string& name) {
  const Sym sym = known(name);
  assume(at_most(Sym(1), sym));
  return sym;
}

Sym Scope::natural(const std::string& name) {
  const Sym sym = known(name);
  assume(at_most(Sym(0), sym));
  return sym;
}

Sym Scope::digit(const std::string& name, const Sym& bound) {
  const Sym sym = known(name);
  assume(within(sym, bound));
  bounds_.emplace(name, bound);
  return sym;
}

Sym Scope::digit_up_to(const std::string& name, const Sym& bound) {
  const Sym sym = natural(name);
  assume(at_most(sym, bound));
  return sym;
}

page::Split<Sym> Scope::named_division(const Sym& value, const Sym& radix) {
  const std::string number = std::to_string(divisions_++);
  const page::Split<Sym> parts{known("quotient" + number), known("remainder" + number)};
  assume(equal(parts.quotient * radix + parts.remainder, value));
  assume(within(parts.remainder, radix));
  return parts;
}

}  // namespace pageproof::proof
