#include "reports/gonogo/laws.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/gonogo/laws_parts.hpp"

namespace pageproof::gonogo {
namespace {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double lower_median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return sorted[(sorted.size() - 1) / 2];
}

Fault fault(std::string name, std::string meaning, void (*replace)(Terms&)) {
  Fault out{std::move(name), std::move(meaning), kLaw};
  replace(out.terms);
  return out;
}

std::vector<Fault> all_faults() {
  return {
      fault("centre.mean", "the centre is the mean", [](Terms& t) { t.centre = mean_of; }),
      fault("centre.lower", "of an even number the lower middle is the median",
            [](Terms& t) { t.centre = lower_median; }),
      fault("gain.orientation", "lower is better of every metric",
            [](Terms& t) { t.advantage = [](Better, double one, double other) { return other - one; }; }),
      fault("gain.absolute", "a gain is a distance",
            [](Terms& t) {
              t.advantage = [](Better, double one, double other) { return std::abs(one - other); };
            }),
      fault("gain.base", "the gain is a share of the treated side",
            [](Terms& t) { t.base = [](double treated, double) { return treated; }; }),
      fault("theta.exclusive", "exactly theta does not count",
            [](Terms& t) {
              t.reaches = [](double share, double needed, double tolerance) {
                return share > needed + tolerance;
              };
            }),
      fault(
          "theta.no_tolerance", "rounding decides at theta",
          [](Terms& t) { t.reaches = [](double share, double needed, double) { return share >= needed; }; }),
      fault("ranges.touching", "ranges that touch are apart",
            [](Terms& t) { t.separate = [](double upper, double lower) { return upper >= lower; }; }),
      fault("ranges.ignored", "overlapping ranges count",
            [](Terms& t) { t.counts = [](bool large_enough, bool) { return large_enough; }; }),
      fault("ranges.alone", "ranges apart count whatever the gain",
            [](Terms& t) { t.counts = [](bool, bool apart) { return apart; }; }),
      fault("guard.sign", "the guard limits how much better TPOT may be",
            [](Terms& t) {
              t.worse = [](double treated, double comparator) { return 1 - treated / comparator; };
            }),
      fault("guard.absent", "rule B has no guard",
            [](Terms& t) { t.rule_b = [](Truth wins, Truth) { return wins; }; }),
      fault("guard.enough", "rule B holds by its guard alone",
            [](Terms& t) { t.rule_b = [](Truth, Truth guard) { return guard; }; }),
      fault("ttft.unknown_is_equal", "a TTFT that is too far in overlapping ranges is equal",
            [](Terms& t) { t.doubtful_ttft = [](bool apart) { return apart ? Truth::no : Truth::yes; }; }),
      fault("ttft.unknown_fails", "a TTFT that is too far in overlapping ranges is not equal",
            [](Terms& t) { t.doubtful_ttft = [](bool) { return Truth::no; }; }),
      fault("ttft.loss_is_equal", "a TTFT that loses at exactly tau is equal",
            [](Terms& t) { t.equal_ttft = [](Outcome, bool within) { return within; }; }),
      fault("ttft.any_distance", "a TTFT is equal unless it loses",
            [](Terms& t) { t.equal_ttft = [](Outcome outcome, bool) { return outcome != Outcome::loss; }; }),
      fault("ttft.ignored", "rule A does not ask for TTFT",
            [](Terms& t) { t.rule_a = [](Truth, Truth wins) { return wins; }; }),
      fault("rule_a.either", "rule A holds by TTFT or by a win", [](Terms& t) { t.rule_a = either; }),
      fault("rule_a.loss_beside", "a win counts while the other metric loses",
            [](Terms& t) {
              t.wins_beside = [](const Comparison* one, const Comparison* other) {
                const bool win = one != nullptr && one->outcome == Outcome::win;
                return !win ? Truth::no : other == nullptr ? Truth::unknown : Truth::yes;
              };
            }),
      fault("rule_a.absent_beside", "a metric that was not measured did not lose",
            [](Terms& t) {
              t.wins_beside = [](const Comparison* one, const Comparison* other) {
                const bool win = one != nullptr && one->outcome == Outcome::win;
                return win && (other == nullptr || other->outcome != Outcome::loss) ? Truth::yes : Truth::no;
              };
            }),
      fault("rule_a.both_win", "TPOT and output throughput must both win",
            [](Terms& t) {
              t.wins_beside = [](const Comparison* one, const Comparison* other) {
                const bool win = one != nullptr && one->outcome == Outcome::win;
                if (win && other == nullptr) return Truth::unknown;
                return win && other->outcome == Outcome::win ? Truth::yes : Truth::no;
              };
            }),
      fault("comparators.either", "a win over a1 or a2 is enough",
            [](Terms& t) { t.over_comparators = either; }),
      fault("repeats.two", "one repeat less is enough",
            [](Terms& t) {
              t.enough = [](std::size_t runs, std::uint32_t needed) { return runs + 1 >= needed; };
            }),
      fault(
          "repeats.more", "the number of repeats asked for is not enough",
          [](Terms& t) { t.enough = [](std::size_t runs, std::uint32_t needed) { return runs > needed; }; }),
      fault("runs.invalid", "invalid runs are judged",
            [](Terms& t) { t.may_judge = [](const results::Run&) { return true; }; }),
      fault("kernel.any", "any decode kernel will do",
            [](Terms& t) { t.kernel_is_shuffled = [](std::string_view) { return true; }; }),
      fault("kernel.comparator", "an unshuffled setup may have decoded with asm",
            [](Terms& t) { t.kernel_is_unshuffled = [](std::string_view) { return true; }; }),
      fault("runs.without_metric", "a run that lacks a metric of its siblings is judged",
            [](Terms& t) { t.has_as_siblings = [](bool, bool) { return true; }; }),
      fault("units.any", "medians any number of times apart are of one unit",
            [](Terms& t) { t.one_unit = [](double, double) { return true; }; }),
      fault("best.of_one", "the only unshuffled setup with enough runs is the fastest",
            [](Terms& t) { t.fastest_is_known = [](bool one, bool other) { return one || other; }; }),
      fault("e.without_partner", "e is compared with what there is",
            [](Terms& t) { t.needs_partner = [](std::string_view, Partner) { return false; }; }),
      fault("cells.half", "half of the cells are a majority",
            [](Terms& t) { t.most = [](double passed, double of) { return 2 * passed >= of; }; }),
      fault("cells.one", "one cell is a majority",
            [](Terms& t) { t.most = [](double passed, double) { return passed > 0; }; }),
      fault("coverage.any", "any coverage will do",
            [](Terms& t) { t.covered = [](double decidable, double, double) { return decidable > 0; }; }),
      fault("coverage.exclusive", "exactly the coverage asked for is too little",
            [](Terms& t) {
              t.covered = [](double decidable, double feasible, double needed) {
                return decidable > needed * feasible;
              };
            }),
  };
}

}  // namespace

void LawRun::expect(const std::string& law, const std::string& claim, bool holds, const std::string& example,
                    const std::string& expected, const std::string& got) {
  ++result.cases;
  if (holds || std::ranges::find(result.failures, law, &Failure::name) != result.failures.end()) return;
  result.failures.push_back({.name = law,
                             .claim = claim,
                             .example = example,
                             .expected = expected,
                             .got = got,
                             .replay = "pageproof verify gonogo"});
}

LawResult check_laws(const Terms& terms, std::uint64_t seed, std::uint64_t cases) {
  LawRun run{.terms = terms, .random = std::mt19937_64(seed), .cases = cases};
  comparison_laws(run);
  rule_laws(run);
  measurement_laws(run);
  return std::move(run.result);
}

std::span<const Fault> faults() {
  static const std::vector<Fault> kFaults = all_faults();
  return kFaults;
}

}  // namespace pageproof::gonogo
