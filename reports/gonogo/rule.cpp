#include "reports/gonogo/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/results/statistics.hpp"

namespace pageproof::gonogo {
namespace {

double median(std::span<const double> values) {
  return results::median({values.begin(), values.end()});
}

double oriented(Better better, double treated, double comparator) {
  return better == Better::higher ? treated - comparator : comparator - treated;
}

// A win beside a metric that nobody measured is not known to be one: the other could have lost.
Truth wins_beside(const Comparison* metric, const Comparison* other) {
  if (metric == nullptr || metric->outcome != Outcome::win) return Truth::no;
  if (other == nullptr) return Truth::unknown;
  return other->outcome == Outcome::loss ? Truth::no : Truth::yes;
}

const Comparison* address(const std::optional<Comparison>& comparison) {
  return comparison ? &*comparison : nullptr;
}

std::string percent(double share) {
  return fmt::format("{:+.2f} %", 100 * share);
}

std::string in_words(std::string_view metric, const Comparison& comparison) {
  const std::string tie = comparison.tie == Tie::none ? "" : fmt::format("/{}", to_string(comparison.tie));
  return fmt::format("{} {}{} ({})", metric, to_string(comparison.outcome), tie, percent(comparison.gain));
}

std::string in_words(std::string_view metric, const std::optional<Comparison>& comparison) {
  return comparison ? in_words(metric, *comparison) : fmt::format("{} not measured", metric);
}

bool noisy_gain(const std::optional<Comparison>& comparison) {
  return comparison && comparison->tie == Tie::noisy && comparison->gain > 0;
}

// Whether one of two metrics won where none did for certain.
Truth without_a_win(const std::optional<Comparison>& one, const std::optional<Comparison>& other, bool loses,
                    const Choices& choices) {
  if (!one && !other) return Truth::unknown;
  if (loses) return Truth::no;
  if (choices.noisy == Doubt::unknown && (noisy_gain(one) || noisy_gain(other))) return Truth::unknown;
  if (choices.unmeasured == Doubt::unknown && (!one || !other)) return Truth::unknown;
  return Truth::no;
}

bool lost(const std::optional<Comparison>& comparison) {
  return comparison && comparison->outcome == Outcome::loss;
}

}  // namespace

const Terms kLaw = {
    .centre = median,
    .advantage = oriented,
    .base = [](double, double comparator) { return comparator; },
    .reaches = [](double share, double needed, double tolerance) { return share >= needed - tolerance; },
    .separate = [](double lowest_of_upper,
                   double highest_of_lower) { return lowest_of_upper > highest_of_lower; },
    .counts = [](bool large_enough, bool apart) { return large_enough && apart; },
    .worse = [](double treated, double comparator) { return treated / comparator - 1; },
    .doubtful_ttft = [](bool apart) { return apart ? Truth::no : Truth::unknown; },
    .equal_ttft = [](Outcome outcome, bool within) { return outcome != Outcome::loss && within; },
    .rule_a = both,
    .rule_b = both,
    .wins_beside = wins_beside,
    .over_comparators = both,
    .enough = [](std::size_t runs, std::uint32_t needed) { return runs >= needed; },
    .may_judge = [](const results::Run& run) { return run.valid(); },
    .kernel_is_shuffled = [](std::string_view kernel) { return kernel == "asm"; },
    .kernel_is_unshuffled = [](std::string_view kernel) { return kernel != "asm"; },
    .has_as_siblings = [](bool has, bool sibling_has) { return has || !sibling_has; },
    .one_unit = [](double least, double most) { return most <= kMostApart * least; },
    .fastest_is_known = [](bool one_enough, bool other_enough) { return one_enough && other_enough; },
    .needs_partner = [](std::string_view setup,
                        Partner partner) { return setup == "e" && partner == Partner::e0; },
    .most = [](double passed, double of) { return 2 * passed > of; },
    .covered = [](double decidable, double feasible,
                  double needed) { return decidable >= needed * feasible; },
};

std::string_view to_string(Better better) {
  return better == Better::lower ? "lower" : "higher";
}

std::string_view to_string(Truth truth) {
  return truth == Truth::yes ? "PASS" : truth == Truth::no ? "FAIL" : "UNKNOWN";
}

std::string_view to_string(Outcome outcome) {
  return outcome == Outcome::win ? "WIN" : outcome == Outcome::loss ? "LOSS" : "TIE";
}

std::string_view to_string(Tie tie) {
  switch (tie) {
    case Tie::small:
      return "SMALL";
    case Tie::noisy:
      return "NOISY";
    case Tie::null:
      return "NULL";
    case Tie::none:
      break;
  }
  return "";
}

Truth both(Truth one, Truth other) {
  return std::min(one, other);
}

Truth either(Truth one, Truth other) {
  return std::max(one, other);
}

Range range_of(std::span<const double> values, const Terms& terms) {
  const auto [low, high] = std::ranges::minmax(values);
  return {terms.centre(values), low, high, values.size()};
}

Comparison compare(std::span<const double> treated, std::span<const double> comparator, Better better,
                   const Choices& choices, const Terms& terms) {
  Comparison out{
      .better = better, .treated = range_of(treated, terms), .comparator = range_of(comparator, terms)};
  out.gain = terms.advantage(better, out.treated.centre, out.comparator.centre) /
             terms.base(out.treated.centre, out.comparator.centre);
  const bool above = terms.separate(out.treated.low, out.comparator.high);
  const bool below = terms.separate(out.comparator.low, out.treated.high);
  const int up = better == Better::higher ? 1 : -1;
  out.apart = above ? up : below ? -up : 0;
  const bool gains = terms.reaches(out.gain, choices.win_share, choices.tolerance);
  const bool loses = terms.reaches(-out.gain, choices.win_share, choices.tolerance);
  if (terms.counts(gains, out.apart > 0)) {
    out.outcome = Outcome::win;
  } else if (terms.counts(loses, out.apart < 0)) {
    out.outcome = Outcome::loss;
  } else {
    out.tie = out.apart != 0 ? Tie::small : gains || loses ? Tie::noisy : Tie::null;
  }
  return out;
}

TtftVerdict equal_ttft(const Comparison& ttft, const Choices& choices, const Terms& terms) {
  const bool not_slower = terms.reaches(ttft.gain, -choices.ttft_share, choices.tolerance);
  const bool not_faster = terms.reaches(-ttft.gain, -choices.ttft_share, choices.tolerance);
  const bool within = not_slower && (choices.ttft == Ttft::not_worse || not_faster);
  const std::string seen =
      fmt::format("{}, limit {:.3g} %", in_words("TTFT", ttft), 100 * choices.ttft_share);
  if (terms.equal_ttft(ttft.outcome, within)) {
    return {Truth::yes, seen};
  }
  const Truth truth = terms.doubtful_ttft(ttft.apart != 0);
  return {truth, seen + (truth == Truth::unknown ? ", ranges overlap: add repeats" : "")};
}

GuardVerdict tpot_guard(const Comparison& tpot, const Choices& choices, const Terms& terms) {
  GuardVerdict out;
  out.worse = terms.worse(tpot.treated.centre, tpot.comparator.centre);
  out.least = terms.worse(tpot.treated.low, tpot.comparator.high);
  out.most = terms.worse(tpot.treated.high, tpot.comparator.low);
  const double limit = choices.guard_share + choices.tolerance;
  const double judged = choices.guard == Guard::strict ? out.most : out.worse;
  out.holds = judged <= limit ? Truth::yes : Truth::no;
  out.fragile = out.least <= limit && out.most > limit;
  return out;
}

RuleVerdict rule_a(const Evidence& evidence, const Choices& choices, const Terms& terms) {
  RuleVerdict out;
  const Comparison* tpot = address(evidence.tpot);
  const Comparison* output = address(evidence.output_throughput);
  Truth wins = either(terms.wins_beside(tpot, output), terms.wins_beside(output, tpot));
  const bool beside_nothing = wins == Truth::unknown;
  if (wins == Truth::no) {
    const bool loses = lost(evidence.tpot) || lost(evidence.output_throughput);
    wins = without_a_win(evidence.tpot, evidence.output_throughput, loses, choices);
    out.noisy = !loses && (noisy_gain(evidence.tpot) || noisy_gain(evidence.output_throughput));
  }
  if (evidence.ttft) {
    out.ttft = equal_ttft(*evidence.ttft, choices, terms);
  } else {
    out.ttft = {Truth::unknown, "TTFT not measured"};
  }
  out.holds = terms.rule_a(out.ttft.equal, wins);
  const std::string decode = fmt::format("{}, {}{}", in_words("TPOT", evidence.tpot),
                                         in_words("output throughput", evidence.output_throughput),
                                         beside_nothing ? ": it could have lost" : "");
  if (out.holds == Truth::yes) {
    out.why = decode;
  } else if (wins == Truth::yes) {
    out.why = fmt::format("TTFT not {}: {}", out.ttft.equal == Truth::no ? "equal" : "known to be equal",
                          out.ttft.why);
  } else {
    out.why = decode;
  }
  return out;
}

RuleVerdict rule_b(const Evidence& evidence, const Choices& choices, const Terms& terms) {
  RuleVerdict out;
  const auto won = [](const std::optional<Comparison>& metric) {
    return metric && metric->outcome == Outcome::win;
  };
  Truth wins = Truth::yes;
  if (!won(evidence.ttft) && !won(evidence.prefill_throughput)) {
    wins = without_a_win(evidence.ttft, evidence.prefill_throughput, false, choices);
    out.noisy = noisy_gain(evidence.ttft) || noisy_gain(evidence.prefill_throughput);
  }
  if (evidence.tpot) out.guard = tpot_guard(*evidence.tpot, choices, terms);
  out.holds = terms.rule_b(wins, out.guard.holds);
  const std::string prefill = fmt::format("{}, {}", in_words("TTFT", evidence.ttft),
                                          in_words("prefill throughput", evidence.prefill_throughput));
  const std::string guard = evidence.tpot
                                ? fmt::format("TPOT {} worse, limit {:.3g} %{}", percent(out.guard.worse),
                                              100 * choices.guard_share, out.guard.fragile ? ", FRAGILE" : "")
                                : std::string("TPOT not measured");
  if (wins != Truth::yes) {
    out.why = prefill;
  } else {
    out.why = out.guard.holds == Truth::yes ? fmt::format("{}; {}", prefill, guard) : guard;
  }
  return out;
}

Truth over_cells(std::span<const Weighed> cells, Aggregation aggregation, const Terms& terms) {
  double passed = 0;
  double open = 0;
  double all = 0;
  for (const Weighed& cell : cells) {
    all += cell.weight;
    if (cell.truth == Truth::yes) passed += cell.weight;
    if (cell.truth == Truth::unknown) open += cell.weight;
  }
  if (all <= 0) return Truth::unknown;
  const double failed = all - passed - open;
  switch (aggregation) {
    case Aggregation::any:
      return passed > 0 ? Truth::yes : open > 0 ? Truth::unknown : Truth::no;
    case Aggregation::all:
      return failed > 0 ? Truth::no : open > 0 ? Truth::unknown : Truth::yes;
    case Aggregation::majority:
    case Aggregation::weights:
      break;
  }
  if (terms.most(passed, all)) return Truth::yes;
  return terms.most(passed + open, all) ? Truth::unknown : Truth::no;
}

}  // namespace pageproof::gonogo
