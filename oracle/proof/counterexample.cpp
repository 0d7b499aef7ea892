#include "oracle/proof/counterexample.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pageproof::proof {
namespace {

constexpr std::uint64_t kLargestBound = std::uint64_t{1} << 48;

void variables_in(const Shown& shown, std::vector<std::string>& names) {
  for (const auto& [label, sym] : shown) variables_of(sym, names);
}

Sym variable(const std::string& name) {
  return Sym(std::make_shared<const Node>(
      Node{.kind = Node::Kind::variable, .name = name, .parts = {}, .seen = {}}));
}

Formula bounded(const std::string& name, std::int64_t bound) {
  return at_most(variable(name), Sym(static_cast<std::uint64_t>(bound)));
}

Formula fixed(const std::string& name, std::int64_t value) {
  return equal(variable(name), Sym(static_cast<std::uint64_t>(value)));
}

// What the assumptions say outright: number <= name, or name = number. Spares the questions whether it is
// smaller.
std::int64_t least_assumed(const Query& query, const std::string& name) {
  const auto is_name = [&](const Sym& sym) {
    return sym.node().kind == Node::Kind::variable && sym.node().name == name;
  };
  const auto is_number = [](const Sym& sym) { return sym.node().kind == Node::Kind::number; };
  std::int64_t low = 0;
  for (const Formula& assumption : query.assumptions) {
    if (assumption.kind != Formula::Kind::equal && assumption.kind != Formula::Kind::at_most) continue;
    const Sym& left = assumption.terms[0];
    const Sym& right = assumption.terms[1];
    if (is_number(left) && is_name(right)) low = std::max(low, static_cast<std::int64_t>(left.node().number));
    if (assumption.kind == Formula::Kind::equal && is_name(left) && is_number(right)) {
      low = std::max(low, static_cast<std::int64_t>(right.node().number));
    }
  }
  return low;
}

// Sums the solver's time.
struct Search {
  const Query& query;
  std::uint32_t seed;
  double seconds = 0;

  Solved below(const std::vector<Formula>& bounds) {
    Query bounded_query = query;
    bounded_query.assumptions.insert(bounded_query.assumptions.end(), bounds.begin(), bounds.end());
    Solved solved = solve(bounded_query, seed, kResourceLimit, Effort::search);
    seconds += solved.seconds;
    return solved;
  }
};

// The smallest value of one variable under `held`, at most `found`; the example that has it.
Values least(Search& search, const std::string& name, const std::vector<Formula>& held, Values found) {
  std::int64_t low = least_assumed(search.query, name);
  const std::int64_t lowest = low;
  // Is it the smallest already? Then the two lowest are the usual answers; then by halves.
  enum class Step : std::uint8_t { below, two_lowest, halves } step = Step::below;
  while (low < found.at(name)) {
    const std::int64_t value = found.at(name);
    const std::int64_t middle = step == Step::below        ? value - 1
                                : step == Step::two_lowest ? low
                                                           : low + (value - low) / 2;
    std::vector<Formula> bounds = held;
    bounds.push_back(bounded(name, middle));
    const Solved solved = search.below(bounds);
    if (step == Step::below) {
      step = Step::two_lowest;
    } else if (low != lowest || solved.answer != Answer::unsat) {
      step = Step::halves;
    }
    if (solved.answer == Answer::sat) {
      found = solved.model;
    } else if (solved.answer == Answer::unsat) {
      low = middle + 1;
    } else {
      break;  // the example stands, perhaps not the smallest
    }
  }
  return found;
}

std::string shown_value(const Example& example, const std::string& label, const Sym& sym,
                        const Values& values) {
  const std::optional<std::int64_t> value = evaluate(sym, values);
  if (!value) return "?";
  if (example.name_of_value != nullptr) {
    if (const std::string name = example.name_of_value(label, *value); !name.empty()) return name;
  }
  if (label == "side" && *value < 2) return *value == 0 ? "K" : "V";
  return std::to_string(*value);
}

std::string shown(const Example& example, const Shown& numbers, const Values& values) {
  std::string text;
  for (const auto& [label, sym] : numbers) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", label, shown_value(example, label, sym, values));
  }
  return text;
}

}  // namespace

bool replays(const Mutant& mutant, const Values& values) {
  for (const Formula& assumption : mutant.query.assumptions) {
    if (!evaluate(assumption, values).value_or(false)) return false;
  }
  return !evaluate(mutant.query.goal, values).value_or(true);
}

Failure example_failure(const Mutant& mutant, const Values& values, const std::string& obligation) {
  const Example& example = mutant.example;
  const std::string unit = example.unit.empty() ? "" : " " + example.unit;
  const std::string coordinate = shown(example, example.coordinate, values);
  const bool said = !example.said_expected.empty();
  return {.name = mutant.name,
          .claim = mutant.claim,
          .example = shown(example, example.sizes, values) + (coordinate.empty() ? "" : "   " + coordinate),
          .expected = said ? example.said_expected
                           : fmt::format("{} {}{}", example.relation,
                                         shown_value(example, "", example.expected, values), unit),
          .got = said ? example.said_got : shown_value(example, "", example.got, values) + unit,
          .replay = fmt::format("pageproof prove {} --mutants", obligation)};
}

std::string shown(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

Failure query_example(const Query& query, const Values& values, const std::string& obligation) {
  return {.name = query.name,
          .claim = query.claim,
          .example = shown(values),
          .expected = "proved",
          .got = "refuted",
          .replay = "pageproof prove " + obligation};
}

Smallest smallest_example(const Query& query, const Shown& first, const Shown& then, std::uint32_t seed) {
  std::vector<std::string> sizes;
  variables_in(first, sizes);
  std::vector<std::string> all = sizes;
  variables_in(then, all);
  Search search{query, seed};
  Solved solved;
  for (std::uint64_t bound = 1; bound <= kLargestBound && solved.answer != Answer::sat; bound *= 2) {
    std::vector<Formula> bounds;
    for (const std::string& name : sizes) bounds.push_back(bounded(name, static_cast<std::int64_t>(bound)));
    solved = search.below(bounds);
    if (sizes.empty()) break;
  }
  if (solved.answer != Answer::sat) return {solved.answer, {}, search.seconds, solved.why};
  Values found = solved.model;
  std::vector<Formula> held;
  for (const std::string& name : all) {
    if (!found.contains(name)) continue;
    found = least(search, name, held, std::move(found));
    held.push_back(fixed(name, found.at(name)));
  }
  return {Answer::sat, std::move(found), search.seconds, ""};
}

MutantResult refute(const Mutant& mutant, const std::string& obligation, std::uint32_t seed) {
  MutantResult result{
      .name = mutant.name, .verdict = Verdict::unknown, .failure = {}, .values = {}, .why = {}};
  const Smallest found =
      smallest_example(mutant.query, mutant.example.sizes, mutant.example.coordinate, seed);
  result.seconds = found.seconds;
  if (found.answer != Answer::sat) {
    result.verdict = found.answer == Answer::unsat ? Verdict::proved : Verdict::unknown;
    result.why = found.why;
    return result;
  }
  result.values = found.values;
  if (!replays(mutant, found.values)) {
    result.why = "the solver's example does not replay with plain integers";
    return result;
  }
  result.verdict = Verdict::refuted;
  result.failure = example_failure(mutant, found.values, obligation);
  return result;
}

}  // namespace pageproof::proof
