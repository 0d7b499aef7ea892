#include "oracle/proof/polynomial.hpp"

#include <algorithm>

#include "oracle/proof/scope.hpp"

namespace pageproof::proof {
namespace {

using Monomial = std::vector<std::string>;

void add(Polynomial& sum, const Monomial& monomial, std::int64_t coefficient) {
  const auto [entry, fresh] = sum.try_emplace(monomial, coefficient);
  if (!fresh) entry->second += coefficient;
  if (entry->second == 0) sum.erase(entry);
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  for (const auto& [left, left_coefficient] : a) {
    for (const auto& [right, right_coefficient] : b) {
      Monomial both;
      std::ranges::merge(left, right, std::back_inserter(both));
      add(result, both, left_coefficient * right_coefficient);
    }
  }
  return result;
}

Polynomial sum(const Polynomial& a, const Polynomial& b, std::int64_t factor = 1) {
  Polynomial result = a;
  for (const auto& [monomial, coefficient] : b) add(result, monomial, factor * coefficient);
  return result;
}

const Polynomial kOne{{{}, 1}};

// Each variable replaced by what `replacement` says.
template <class Replacement>
Polynomial substituted(const Polynomial& polynomial, const Replacement& replacement) {
  Polynomial result;
  for (const auto& [monomial, coefficient] : polynomial) {
    Polynomial term{{{}, coefficient}};
    for (const std::string& name : monomial) term = product(term, replacement(name));
    result = sum(result, term);
  }
  return result;
}

// Each bounded variable at bound + shift, the others as they are.
Polynomial at_bounds(const Polynomial& polynomial, const std::map<std::string, Sym>& bounds,
                     std::int64_t shift) {
  return substituted(polynomial, [&](const std::string& name) {
    const auto bound = bounds.find(name);
    return bound == bounds.end() ? Polynomial{{{name}, 1}} : sum(expand(bound->second), kOne, shift);
  });
}

// Terms of `polynomial` that `monomial` divides, divided; the others go to `rest`.
Polynomial quotient_of(const Polynomial& polynomial, const Polynomial& monomial, Polynomial& rest) {
  const auto& [divisor, divisor_coefficient] = *monomial.begin();
  Polynomial quotient;
  for (const auto& [term, coefficient] : polynomial) {
    if (coefficient % divisor_coefficient == 0 && std::ranges::includes(term, divisor)) {
      Monomial left;
      std::ranges::set_difference(term, divisor, std::back_inserter(left));
      add(quotient, left, coefficient / divisor_coefficient);
    } else {
      add(rest, term, coefficient);
    }
  }
  return quotient;
}

}  // namespace

Polynomial expand(const Sym& sym) {
  const Node& node = sym.node();
  switch (node.kind) {
    case Node::Kind::number:
      return node.number == 0 ? Polynomial{} : Polynomial{{{}, static_cast<std::int64_t>(node.number)}};
    case Node::Kind::variable:
      return {{{node.name}, 1}};
    case Node::Kind::sum:
      return sum(expand(node.parts[0]), expand(node.parts[1]));
    case Node::Kind::product:
      return product(expand(node.parts[0]), expand(node.parts[1]));
    default:
      return expand(*node.seen);
  }
}

Sym to_sym(const Polynomial& polynomial, Scope* scope) {
  std::optional<Sym> total;
  for (const auto& [monomial, coefficient] : polynomial) {
    std::optional<Sym> term;
    for (const std::string& name : monomial) {
      const Sym factor = scope->known(name);
      term = term ? *term * factor : factor;
    }
    const Sym number(static_cast<std::uint64_t>(coefficient));
    if (!term) {
      term = number;
    } else if (coefficient != 1) {
      term = *term * number;
    }
    total = total ? *total + *term : *term;
  }
  return total.value_or(Sym(0));
}

std::optional<Polynomial> divided(const Polynomial& polynomial, const Polynomial& monomial) {
  Polynomial rest;
  const Polynomial quotient = quotient_of(polynomial, monomial, rest);
  return rest.empty() ? std::optional(quotient) : std::nullopt;
}

std::optional<page::Split<Sym>> propose_cut(const Sym& value, const Sym& radix,
                                            const std::map<std::string, Sym>& bounds) {
  const Polynomial divisor = expand(radix);
  if (divisor.size() != 1) return std::nullopt;
  const Polynomial dividend = expand(value);
  Polynomial rest;
  const Polynomial quotient = quotient_of(dividend, divisor, rest);
  // With every digit at its largest and every size written 1 + n, is radix − 1 − rest a sum of what is never
  // negative?
  const Polynomial room =
      substituted(sum(sum(divisor, kOne, -1), at_bounds(rest, bounds, -1), -1),
                  [](const std::string& name) { return Polynomial{{{}, 1}, {{name}, 1}}; });
  const auto negative = [](const auto& term) { return term.second < 0; };
  if (std::ranges::any_of(room, negative) || std::ranges::any_of(dividend, negative)) return std::nullopt;
  Scope* const scope = value.node().scope != nullptr ? value.node().scope : radix.node().scope;
  return page::Split<Sym>{to_sym(quotient, scope), to_sym(rest, scope)};
}

Polynomial upper_bound(const Polynomial& polynomial, const std::map<std::string, Sym>& bounds) {
  return at_bounds(polynomial, bounds, 0);
}

}  // namespace pageproof::proof
