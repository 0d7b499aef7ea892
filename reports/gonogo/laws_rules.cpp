// Laws of one comparison and of the rules, restated in whole numbers and tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "reports/gonogo/laws_parts.hpp"

namespace pageproof::gonogo {
namespace {

using Whole = std::vector<std::int64_t>;

struct Sides {
  Whole treated;
  Whole comparator;
  Better better = Better::lower;
};

std::vector<double> as_numbers(const Whole& values, double scale = 1) {
  std::vector<double> out;
  for (const std::int64_t value : values) out.push_back(static_cast<double>(value) * scale);
  return out;
}

Comparison compared(const LawRun& run, const Sides& sides, double scale = 1) {
  return compare(as_numbers(sides.treated, scale), as_numbers(sides.comparator, scale), sides.better,
                 Choices{}, run.terms);
}

std::string shown(const Sides& sides) {
  return fmt::format("{} is better, T {{{}}}, C {{{}}}", to_string(sides.better),
                     fmt::join(sides.treated, " "), fmt::join(sides.comparator, " "));
}

std::string shown(const Comparison& one) {
  return fmt::format("{}{}{}", to_string(one.outcome), one.tie == Tie::none ? "" : "/", to_string(one.tie));
}

std::int64_t between(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

// Around 100, or around 3 % beside it, close enough that every outcome comes up, exact thirds of 100 too.
Sides random_sides(LawRun& run) {
  Sides out;
  out.better = run.random() % 2 == 0 ? Better::lower : Better::higher;
  const std::int64_t shift = between(run.random, -6, 6);
  const std::int64_t spread = between(run.random, 0, 4);
  for (std::int64_t i = between(run.random, 1, 6); i > 0; --i) {
    out.treated.push_back(100 + shift + between(run.random, -spread, spread));
  }
  for (std::int64_t i = between(run.random, 1, 6); i > 0; --i) {
    out.comparator.push_back(100 + between(run.random, -spread, spread));
  }
  return out;
}

// Twice the median, a whole number.
std::int64_t twice_median(Whole values) {
  std::ranges::sort(values);
  return values[(values.size() - 1) / 2] + values[values.size() / 2];
}

// The rule in whole numbers: 3 % is 3 of 100, ranges are apart where every pair of repeats is.
std::string restated(const Sides& sides) {
  const std::int64_t sign = sides.better == Better::higher ? 1 : -1;
  bool all_better = true;
  bool all_worse = true;
  for (const std::int64_t t : sides.treated) {
    for (const std::int64_t c : sides.comparator) {
      all_better &= sign * t > sign * c;
      all_worse &= sign * t < sign * c;
    }
  }
  const std::int64_t base = twice_median(sides.comparator);
  const std::int64_t gain = 100 * sign * (twice_median(sides.treated) - base);
  const bool large = gain >= 3 * base || -gain >= 3 * base;
  if (gain >= 3 * base && all_better) return "WIN";
  if (-gain >= 3 * base && all_worse) return "LOSS";
  if (all_better || all_worse) return "TIE/SMALL";
  return large ? "TIE/NOISY" : "TIE/NULL";
}

void is_restated(LawRun& run) {
  for (std::uint64_t i = 0; i < run.cases; ++i) {
    const Sides sides = random_sides(run);
    const std::string got = shown(compared(run, sides));
    run.expect("gonogo.compare.restated", "the outcome is the one that whole numbers and all pairs give",
               got == restated(sides), shown(sides), restated(sides), got);
  }
}

// A share is larger where the smaller centre is the comparator, so a swap turns a result into its mirror, or,
// just above theta, into SMALL.
void swap_mirrors(LawRun& run) {
  for (std::uint64_t i = 0; i < run.cases; ++i) {
    const Sides sides = random_sides(run);
    const Comparison one = compared(run, sides);
    const Comparison other = compared(run, {sides.comparator, sides.treated, sides.better});
    if (one.outcome == Outcome::tie) continue;
    const Outcome mirror = one.outcome == Outcome::win ? Outcome::loss : Outcome::win;
    const std::int64_t distance = std::abs(twice_median(sides.treated) - twice_median(sides.comparator));
    const bool surely =
        100 * distance >= 3 * std::max(twice_median(sides.treated), twice_median(sides.comparator));
    const bool holds = other.outcome == mirror || (!surely && other.tie == Tie::small);
    run.expect("gonogo.compare.swap", "T and C exchanged mirror the outcome", holds, shown(sides),
               std::string(to_string(mirror)), shown(other));
  }
}

void inner_repeat_keeps_ranges(LawRun& run) {
  for (std::uint64_t i = 0; i < run.cases; ++i) {
    const Sides sides = random_sides(run);
    Sides more = sides;
    const auto [low, high] = std::ranges::minmax(sides.treated);
    more.treated.push_back(between(run.random, low, high));
    const int before = compared(run, sides).apart;
    const int after = compared(run, more).apart;
    run.expect("gonogo.compare.inner_repeat",
               "a repeat between the lowest and the highest never moves the ranges", before == after,
               shown(more), fmt::format("{}", before), fmt::format("{}", after));
  }
}

void scale_is_nothing(LawRun& run) {
  for (std::uint64_t i = 0; i < run.cases; ++i) {
    const Sides sides = random_sides(run);
    for (const double scale : {0.001, 0.37, 1e6}) {
      const std::string before = shown(compared(run, sides));
      const std::string after = shown(compared(run, sides, scale));
      run.expect("gonogo.compare.scale", "other units keep the outcome, at exactly theta too",
                 before == after, fmt::format("{} times {}", shown(sides), scale), before, after);
    }
  }
}

int rank(const Comparison& one) {
  return one.outcome == Outcome::win ? 2 : one.outcome == Outcome::tie ? 1 : 0;
}

void better_comparator_never_helps(LawRun& run) {
  for (std::uint64_t i = 0; i < run.cases; ++i) {
    const Sides sides = random_sides(run);
    Sides harder = sides;
    std::int64_t& one = harder.comparator[run.random() % harder.comparator.size()];
    one += (sides.better == Better::higher ? 1 : -1) * between(run.random, 1, 5);
    const Comparison before = compared(run, sides);
    const Comparison after = compared(run, harder);
    run.expect("gonogo.compare.better_comparator", "a better repeat of C never helps T",
               rank(after) <= rank(before),
               fmt::format("{}, then C {{{}}}", shown(sides), fmt::join(harder.comparator, " ")),
               fmt::format("no better than {}", shown(before)), shown(after));
  }
}

// A comparison with this outcome: -1 LOSS, 0 TIE, +1 WIN; 2: too far to be equal, in overlapping ranges.
std::optional<Comparison> made(const LawRun& run, int outcome, Better better) {
  if (outcome == 3) return std::nullopt;
  const std::int64_t up = better == Better::higher ? 1 : -1;
  Sides sides{.treated = {99, 100, 101}, .comparator = {99, 100, 101}, .better = better};
  if (outcome == 1 || outcome == -1) {
    for (std::int64_t& value : sides.treated) value += up * outcome * 10;
  }
  if (outcome == 2) sides.treated = {100, 100 - up * 10, 100 - up * 10};
  return compared(run, sides);
}

// Outcomes of TTFT, TPOT and output throughput -1, 0, +1, TTFT also 2 (not known to be equal), TPOT and
// throughput also 3 (absent).
void rule_a_is_its_table(LawRun& run) {
  for (const int ttft : {-1, 0, 1, 2}) {
    for (const int tpot : {-1, 0, 1, 3}) {
      for (const int output : {-1, 0, 1, 3}) {
        const Evidence evidence{.ttft = made(run, ttft, Better::lower),
                                .tpot = made(run, tpot, Better::lower),
                                .output_throughput = made(run, output, Better::higher),
                                .prefill_throughput = {}};
        const bool wins = (tpot == 1 && output != -1) || (output == 1 && tpot != -1);
        const bool known = tpot + output != 4 && (tpot != 3 || output != 3);  // no WIN beside an absent one
        Truth expected = !known ? Truth::unknown : wins ? Truth::yes : Truth::no;
        if (ttft == -1) expected = Truth::no;
        if (ttft == 2 && expected == Truth::yes) expected = Truth::unknown;
        const Truth got = rule_a(evidence, Choices{}, run.terms).holds;
        run.expect(
            "gonogo.rule_a", "rule A is its table of truth", got == expected,
            fmt::format(
                "TTFT {}, TPOT {}, output throughput {} (-1 LOSS, 0 TIE, 1 WIN, 2 not known, 3 absent)", ttft,
                tpot, output),
            std::string(to_string(expected)), std::string(to_string(got)));
      }
    }
  }
}

// The guard takes TPOT within 2 %: here 10 % worse, equal, 10 % better, absent.
void rule_b_is_its_table(LawRun& run) {
  for (const int ttft : {-1, 0, 1, 3}) {
    for (const int prefill : {-1, 0, 1, 3}) {
      for (const int tpot : {-1, 0, 1, 3}) {
        const Evidence evidence{.ttft = made(run, ttft, Better::lower),
                                .tpot = made(run, tpot, Better::lower),
                                .output_throughput = {},
                                .prefill_throughput = made(run, prefill, Better::higher)};
        const Truth wins = ttft == 1 || prefill == 1   ? Truth::yes
                           : ttft == 3 && prefill == 3 ? Truth::unknown
                                                       : Truth::no;
        const Truth guard = tpot == 3 ? Truth::unknown : tpot == -1 ? Truth::no : Truth::yes;
        const Truth expected = wins == Truth::no || guard == Truth::no             ? Truth::no
                               : wins == Truth::unknown || guard == Truth::unknown ? Truth::unknown
                                                                                   : Truth::yes;
        const Truth got = rule_b(evidence, Choices{}, run.terms).holds;
        run.expect("gonogo.rule_b", "rule B is its table of truth", got == expected,
                   fmt::format("TTFT {}, prefill throughput {}, TPOT {} (-1 LOSS, 0 TIE, 1 WIN, 3 absent)",
                               ttft, prefill, tpot),
                   std::string(to_string(expected)), std::string(to_string(got)));
      }
    }
  }
}

// Latencies, comparator 1000 each time.
struct TtftCase {
  Whole treated;
  Whole comparator;
  Truth expected;
};
void ttft_cases(LawRun& run) {
  const TtftCase cases[] = {
      {{1000, 1000, 1000}, {1000, 1000, 1000}, Truth::yes},  // equal
      {{900, 901, 902}, {1000, 1000, 1000}, Truth::yes},     // better is equal, too
      {{1029, 1029, 1029}, {1000, 1000, 1000}, Truth::yes},  // worse by less than tau
      {{1030, 1030, 1030}, {1000, 1000, 1000}, Truth::no},   // exactly tau, apart: a LOSS
      {{1000, 1030, 1040}, {1000, 1000, 1010}, Truth::yes},  // exactly tau, overlapping: no LOSS
      {{1000, 1031, 1040}, {1000, 1000, 1010}, Truth::unknown},
      {{1031, 1040, 1050}, {1000, 1000, 1010}, Truth::no}};
  for (const TtftCase& one : cases) {
    const Sides sides{one.treated, one.comparator, Better::lower};
    const Truth got = equal_ttft(compared(run, sides), Choices{}, run.terms).equal;
    run.expect("gonogo.equal_ttft", "TTFT is equal, worse, or not known", got == one.expected, shown(sides),
               std::string(to_string(one.expected)), std::string(to_string(got)));
  }
}

struct GuardCase {
  Whole treated;
  Truth median;
  Truth strict;
  bool fragile;
};
void guard_cases(LawRun& run) {
  const Whole comparator{1000, 1000, 1000};
  const GuardCase cases[] = {{{1020, 1020, 1020}, Truth::yes, Truth::yes, false},
                             {{1021, 1021, 1021}, Truth::no, Truth::no, false},
                             {{1010, 1015, 1025}, Truth::yes, Truth::no, true},
                             {{1010, 1025, 1030}, Truth::no, Truth::no, true},
                             {{800, 810, 820}, Truth::yes, Truth::yes, false}};
  for (const GuardCase& one : cases) {
    const Sides sides{one.treated, comparator, Better::lower};
    const Comparison tpot = compared(run, sides);
    const GuardVerdict median = tpot_guard(tpot, Choices{}, run.terms);
    Choices choices;
    choices.guard = Guard::strict;
    const GuardVerdict strict = tpot_guard(tpot, choices, run.terms);
    const auto words = [](Truth one_way, Truth strictly, bool fragile) {
      return fmt::format("{}, strictly {}{}", to_string(one_way), to_string(strictly),
                         fragile ? ", FRAGILE" : "");
    };
    const std::string expected = words(one.median, one.strict, one.fragile);
    const std::string got = words(median.holds, strict.holds, median.fragile);
    run.expect("gonogo.guard", "TPOT may be 2 % worse, inclusive", got == expected, shown(sides), expected,
               got);
  }
}

void cells_together(LawRun& run) {
  for (std::uint64_t i = 0; i < run.cases; ++i) {
    std::vector<Weighed> cells(1 + run.random() % 6);
    std::size_t passed = 0;
    std::size_t failed = 0;
    for (Weighed& cell : cells) {
      cell.truth = static_cast<Truth>(run.random() % 3);
      passed += cell.truth == Truth::yes;
      failed += cell.truth == Truth::no;
    }
    // Settled where neither outcome of the open cells could change it.
    const std::size_t open = cells.size() - passed - failed;
    const auto majority = [&](std::size_t yes) { return 2 * yes > cells.size(); };
    const Truth expected = majority(passed)          ? Truth::yes
                           : majority(passed + open) ? Truth::unknown
                                                     : Truth::no;
    const Truth got = over_cells(cells, Aggregation::majority, run.terms);
    run.expect("gonogo.majority", "more than half of the cells pass, whatever the open ones turn out to be",
               got == expected, fmt::format("{} pass, {} fail, {} open", passed, failed, open),
               std::string(to_string(expected)), std::string(to_string(got)));
  }
}

}  // namespace

void comparison_laws(LawRun& run) {
  is_restated(run);
  swap_mirrors(run);
  inner_repeat_keeps_ranges(run);
  scale_is_nothing(run);
  better_comparator_never_helps(run);
}

void rule_laws(LawRun& run) {
  rule_a_is_its_table(run);
  rule_b_is_its_table(run);
  ttft_cases(run);
  guard_cases(run);
  cells_together(run);
}

}  // namespace pageproof::gonogo
