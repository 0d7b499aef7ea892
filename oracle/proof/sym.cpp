#include "oracle/proof/sym.hpp"

#include "oracle/proof/polynomial.hpp"
#include "oracle/proof/scope.hpp"

namespace pageproof::proof {
namespace {

Scope* scope_of(const Sym& a, const Sym& b) {
  return a.node().scope != nullptr ? a.node().scope : b.node().scope;
}

bool literal(const Sym& sym) {
  return sym.node().kind == Node::Kind::number;
}

Sym made(Node::Kind kind, const Sym& a, const Sym& b, std::optional<Sym> seen = std::nullopt) {
  return Sym(std::make_shared<const Node>(
      Node{.kind = kind, .name = {}, .parts = {a, b}, .seen = std::move(seen), .scope = scope_of(a, b)}));
}

}  // namespace

Sym::Sym(std::uint64_t number)
    : node_(std::make_shared<const Node>(
          Node{.kind = Node::Kind::number, .number = number, .name = {}, .parts = {}, .seen = {}})) {}

Sym operator+(const Sym& a, const Sym& b) {
  if (literal(a) && literal(b)) {
    std::uint64_t sum = 0;
    if (!__builtin_add_overflow(a.node().number, b.node().number, &sum)) return Sym(sum);
  }
  return made(Node::Kind::sum, a, b);
}

Sym operator*(const Sym& a, const Sym& b) {
  if (literal(a) && literal(b)) {
    std::uint64_t product = 0;
    if (!__builtin_mul_overflow(a.node().number, b.node().number, &product)) return Sym(product);
  }
  return made(Node::Kind::product, a, b);
}

page::Split<Sym> split(const Sym& value, const Sym& radix) {
  if (literal(value) && literal(radix)) {
    return {Sym(value.node().number / radix.node().number), Sym(value.node().number % radix.node().number)};
  }
  if (literal(radix) && radix.node().number == 1) return {value, Sym(0)};
  Scope& scope = *scope_of(value, radix);
  std::optional<page::Split<Sym>> seen = propose_cut(value, radix, scope.bounds());
  if (seen) {
    scope.record_cut({value, radix, seen->quotient, seen->remainder});
  } else {
    seen = scope.named_division(value, radix);
  }
  return {made(Node::Kind::quotient, value, radix, seen->quotient),
          made(Node::Kind::remainder, value, radix, seen->remainder)};
}

std::optional<std::int64_t> evaluate(const Sym& sym, const Values& values) {
  const Node& node = sym.node();
  if (node.kind == Node::Kind::number) {
    if (node.number > INT64_MAX) return std::nullopt;
    return static_cast<std::int64_t>(node.number);
  }
  if (node.kind == Node::Kind::variable) {
    const auto found = values.find(node.name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  const std::optional<std::int64_t> a = evaluate(node.parts[0], values);
  const std::optional<std::int64_t> b = evaluate(node.parts[1], values);
  if (!a || !b) return std::nullopt;
  std::int64_t result = 0;
  switch (node.kind) {
    case Node::Kind::sum:
      return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case Node::Kind::product:
      return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    default:
      break;
  }
  if (*a < 0 || *b <= 0) return std::nullopt;
  return node.kind == Node::Kind::quotient ? *a / *b : *a % *b;
}

}  // namespace pageproof::proof
