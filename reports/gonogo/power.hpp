// What the counting rule can see. Repeats are taken as normal, independent, with one coefficient of variation
// (CV) on each side; a win is counted where the ranges are apart and the medians differ by theta. Then
//
//   P(win) = E over C's (best, median) of P(all of T beyond C's best, median of T beyond (1 -+ theta) of C's)
//
// which for odd numbers of repeats is a two-fold integral over order statistics (no sampling), and for even
// ones, whose median is a mean of two, a seeded sample with its error. Nothing here says that repeats ARE
// normal: with three of them nobody can know.
#pragma once

#include <cstdint>
#include <optional>

#include "reports/gonogo/rule.hpp"

namespace pageproof::gonogo {

struct PowerQuestion {
  std::uint32_t treated_runs = 3;     // 2 to kMostPowerRuns
  std::uint32_t comparator_runs = 3;  // 2 to kMostPowerRuns
  double treated_cv = 0.01;           // share of the side's own mean, above 0
  double comparator_cv = 0.01;
  double gain = 0;  // true gain, a share of the comparator's mean; below 1 where lower is better
  double win_share = 0.03;
  Better better = Better::lower;
};
inline constexpr std::uint32_t kMostPowerRuns = 25;
inline constexpr std::uint32_t kMostRepeats = 15;  // looked for
inline constexpr double kLeastCv = 1e-6;           // smaller ones are taken as this

struct Probability {
  double value = 0;
  double error = 0;  // one standard error of the sample; 0: integrated
};

Probability win_probability(const PowerQuestion& question);

// The smallest number of repeats a side (from `least` on, both sides alike, whatever was run) that counts the
// win with probability `power`; and the number that does best, where none does.
struct Repeats {
  std::optional<std::uint32_t> needed;
  std::uint32_t best = 0;
  double best_power = 0;
};
Repeats repeats_needed(const PowerQuestion& question, std::uint32_t least, double power);

// The smallest true gain that is counted with probability `power`; nothing below 50 %.
std::optional<double> smallest_gain(PowerQuestion question, double power);

}  // namespace pageproof::gonogo
