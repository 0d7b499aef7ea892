#include "oracle/proof/steps.hpp"

#include <fmt/format.h>

namespace pageproof::proof {
namespace {

bool literal(const Sym& sym) {
  return sym.node().kind == Node::Kind::number;
}

// `radix` itself where it is a number, else a size of that name.
Sym step_radix(Scope& scope, const Sym& radix) {
  return literal(radix) ? radix : scope.size("radix");
}

Query bounds_step(const Sym& actual, const std::string& prefix, std::size_t i) {
  Scope scope;
  const Sym capacity = scope.size("capacity");
  const Sym radix = step_radix(scope, actual);
  const Sym at = scope.digit("at", capacity);
  const Sym digit = scope.digit("digit", radix);
  const std::vector<Sym> digits{at, digit};
  const std::vector<Sym> radices{capacity, radix};
  const Sym offset = page::fold<Sym>(digits, radices);
  return query(scope, fmt::format("{}.bounds.{}", prefix, i),
               fmt::format("digit {} folded in: at · radix + digit lies in [0, capacity · radix)", i),
               Part::step, within(offset, capacity * radix));
}

Query onto_step(const Sym& actual, const std::string& prefix, std::size_t i) {
  Scope scope;
  const Sym capacity = scope.size("capacity");
  const Sym radix = step_radix(scope, actual);
  const Sym offset = scope.natural("offset");
  scope.assume(less(offset, capacity * radix));
  const std::vector<Sym> radices{capacity, radix};
  const std::vector<Sym> digits = page::unfold<Sym>(offset, radices);
  const Sym again = page::fold<Sym>(digits, radices);
  return query(
      scope, fmt::format("{}.onto.{}", prefix, i),
      fmt::format("digit {} unfolded: quotient in [0, capacity), digit in [0, radix), and they fold back", i),
      Part::step, all_of({within(digits[0], capacity), within(digits[1], radix), equal(again, offset)}));
}

Query grows_step(const std::string& prefix, std::size_t i) {
  Scope scope;
  const Sym capacity = scope.size("capacity");
  const Sym radix_minus_1 = scope.natural("radix_minus_1");
  return query(scope, fmt::format("{}.grows.{}", prefix, i),
               fmt::format("digit {}: capacity is at most capacity · (radix_minus_1 + 1)", i), Part::step,
               at_most(capacity, capacity * radix_minus_1 + capacity));
}

}  // namespace

std::vector<Query> step_queries(const std::vector<Sym>& radices, const std::string& prefix) {
  Scope scope;
  const Sym radix = step_radix(scope, radices[0]);
  const Sym digit = scope.digit("digit", radix);
  std::vector<Query> queries{query(scope, prefix + ".base", "the outermost digit lies in [0, radix)",
                                   Part::step, within(digit, radix))};
  for (std::size_t i = 1; i < radices.size(); ++i) {
    queries.push_back(bounds_step(radices[i], prefix, i));
    queries.push_back(onto_step(radices[i], prefix, i));
    queries.push_back(grows_step(prefix, i));
  }
  return queries;
}

Query division_lemma(const std::string& name, const std::optional<std::uint64_t>& fixed) {
  Scope scope;
  const Sym radix = fixed ? Sym(*fixed) : scope.size("radix");
  const Sym at = scope.natural("at");
  const Sym digit = scope.digit("digit", radix);
  // Named by hand: an unfold of a fold that no cut has helped.
  const Sym quotient = scope.known("quotient");
  const Sym remainder = scope.digit("remainder", radix);
  scope.assume(equal(quotient * radix + remainder, at * radix + digit));
  return query(scope, name, "a number has one quotient and one remainder in [0, radix)", Part::step,
               all_of({equal(quotient, at), equal(remainder, digit)}));
}

}  // namespace pageproof::proof
