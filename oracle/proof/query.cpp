#include "oracle/proof/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pageproof::proof {
namespace {

bool shares(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(a,
                             [&](const std::string& name) { return std::ranges::find(b, name) != b.end(); });
}

}  // namespace

std::vector<Formula> relevant(const std::vector<Formula>& assumptions, const Formula& goal) {
  std::vector<std::string> reached;
  variables_of(goal, reached);
  std::vector<bool> taken(assumptions.size(), false);
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < assumptions.size(); ++i) {
      std::vector<std::string> names;
      variables_of(assumptions[i], names);
      if (taken[i] || !shares(names, reached)) continue;
      taken[i] = grown = true;
      variables_of(assumptions[i], reached);
    }
  }
  std::vector<Formula> kept;
  for (std::size_t i = 0; i < assumptions.size(); ++i) {
    if (taken[i]) kept.push_back(assumptions[i]);
  }
  return kept;
}

Query query(const Scope& scope, std::string name, std::string claim, Part part, const Formula& goal) {
  const Form form = part == Part::identity ? Form::polynomial : Form::named;
  return {std::move(name), std::move(claim), part, form, relevant(scope.assumptions(), goal), goal};
}

Query guard_of(const Query& query) {
  return {query.name + ".guard", "what " + query.name + " assumes can hold",
          Part::guard,           Form::polynomial,
          query.assumptions,     any_of({})};
}

std::vector<Query> cut_queries(const Scope& scope, const std::string& name) {
  std::vector<Query> queries;
  for (const Cut& cut : scope.cuts()) {
    const std::string prefix = fmt::format("{}.cut{}", name, queries.size() / 2);
    queries.push_back(query(scope, prefix + ".equation", "the dividend is quotient · radix + remainder",
                            Part::identity, equal(cut.value, cut.quotient * cut.radix + cut.remainder)));
    queries.back().assumptions.clear();
    queries.push_back(query(scope, prefix + ".bounds", "the remainder lies in [0, radix)", Part::cut,
                            within(cut.remainder, cut.radix)));
  }
  return queries;
}

std::string to_string(Part part) {
  switch (part) {
    case Part::step:
      return "step";
    case Part::cut:
      return "cut";
    case Part::identity:
      return "identity";
    case Part::guard:
      return "guard";
    case Part::whole:
      break;
  }
  return "whole";
}

}  // namespace pageproof::proof
