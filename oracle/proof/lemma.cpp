// What every unfolding and every cut rests on.
#include <fmt/format.h>

#include "oracle/proof/steps.hpp"

namespace pageproof::proof {

std::vector<Obligation> lemma_obligations() {
  Obligation division{
      .name = "lemma.division",
      .claim = "a number has one quotient and one remainder: what unfolding and every cut rest on",
      .shapes = "all natural numbers, symbolic radix; radix 2, 8, 16",
      .queries = {division_lemma("lemma.division.symbolic", std::nullopt)},
      .mutants = {}};
  for (const std::uint64_t radix : {2, 8, 16}) {
    division.queries.push_back(division_lemma(fmt::format("lemma.division.{}", radix), radix));
  }
  Scope scope;
  const Sym radix = scope.size("radix");
  const Sym at = scope.natural("at");
  const Sym digit = scope.digit_up_to("digit", radix);
  const page::Split<Sym> parts = split(at * radix + digit, radix);
  const std::string claim = "the quotient is the one that went in, also where the digit may reach the radix";
  division.mutants.push_back(
      mutant(scope, "lemma.division.too_far", claim, equal(parts.quotient, at),
             {{{"radix", radix}}, {{"at", at}, {"digit", digit}}, "quotient", "", at, parts.quotient}));
  return {std::move(division)};
}

}  // namespace pageproof::proof
