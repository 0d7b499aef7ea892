#include "oracle/proof/formula.hpp"

#include <algorithm>

namespace pageproof::proof {

std::optional<bool> evaluate(const Formula& formula, const Values& values) {
  if (!formula.terms.empty()) {
    const std::optional<std::int64_t> a = evaluate(formula.terms[0], values);
    const std::optional<std::int64_t> b = evaluate(formula.terms[1], values);
    if (!a || !b) return std::nullopt;
    if (formula.kind == Formula::Kind::equal) return *a == *b;
    return formula.kind == Formula::Kind::less ? *a < *b : *a <= *b;
  }
  bool every = true;
  bool some = false;
  for (const Formula& part : formula.parts) {
    const std::optional<bool> value = evaluate(part, values);
    if (!value) return std::nullopt;
    every = every && *value;
    some = some || *value;
  }
  if (formula.kind == Formula::Kind::negation) return !every;
  return formula.kind == Formula::Kind::all ? every : some;
}

void variables_of(const Sym& sym, std::vector<std::string>& names) {
  const Node& node = sym.node();
  if (node.kind == Node::Kind::variable) {
    if (std::ranges::find(names, node.name) == names.end()) names.push_back(node.name);
  } else if (node.seen) {
    variables_of(*node.seen, names);
  } else {
    for (const Sym& part : node.parts) variables_of(part, names);
  }
}

void variables_of(const Formula& formula, std::vector<std::string>& names) {
  for (const Sym& term : formula.terms) variables_of(term, names);
  for (const Formula& part : formula.parts) variables_of(part, names);
}

}  // namespace pageproof::proof
