#include "reports/gonogo/power.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <vector>

namespace pageproof::gonogo {
namespace {

constexpr std::size_t kPoints = 16;  // of a panel
constexpr double kReach = 8;         // standard deviations beyond which nothing is integrated
constexpr std::size_t kDraws = 100'000;
constexpr std::uint64_t kSeed = 20261130;

struct Normal {
  double mean = 0;
  double deviation = 1;

  double density(double x) const {
    const double z = (x - mean) / deviation;
    return std::exp(-z * z / 2) / (deviation * std::sqrt(2 * std::numbers::pi));
  }
  double below(double x) const { return std::erfc(-(x - mean) / (deviation * std::numbers::sqrt2)) / 2; }
};

struct Gauss {
  std::array<double, kPoints> at{};
  std::array<double, kPoints> weight{};
};

// Gauss-Legendre on [-1, 1]: the roots of P_n by Newton's method.
Gauss gauss_legendre() {
  Gauss rule;
  constexpr double kN = kPoints;
  for (std::size_t i = 0; i < kPoints; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (kN + 0.5));
    double slope = 0;
    for (int step = 0; step < 20; ++step) {
      double before = 1;
      double here = x;
      for (std::size_t k = 2; k <= kPoints; ++k) {
        const double kk = static_cast<double>(k);
        const double next = ((2 * kk - 1) * x * here - (kk - 1) * before) / kk;
        before = here;
        here = next;
      }
      slope = kN * (x * here - before) / (x * x - 1);
      x -= here / slope;
    }
    rule.at[i] = x;
    rule.weight[i] = 2 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

template <class Function>
double integral(double from, double to, std::size_t panels, const Function& f) {
  static const Gauss kRule = gauss_legendre();
  if (!(to > from)) return 0;
  const double width = (to - from) / static_cast<double>(panels);
  double sum = 0;
  for (std::size_t panel = 0; panel < panels; ++panel) {
    const double middle = from + (static_cast<double>(panel) + 0.5) * width;
    for (std::size_t i = 0; i < kPoints; ++i) sum += kRule.weight[i] * f(middle + kRule.at[i] * width / 2);
  }
  return sum * width / 2;
}

// n! / (k! (n - k)!)
double choose(std::uint32_t n, std::uint32_t k) {
  double ways = 1;
  for (std::uint32_t i = 1; i <= k; ++i) ways = ways * (n - k + i) / i;
  return ways;
}

double power_of(double base, std::uint32_t exponent) {
  double out = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) out *= std::max(base, 0.0);
  return out;
}

// P(all of n below `bound`, their median at most `middle`), n odd.
double all_and_median_below(const Normal& side, std::uint32_t n, double bound, double middle) {
  const double under = side.below(std::min(bound, middle));
  const double between = side.below(bound) - under;
  double sum = 0;
  for (std::uint32_t j = (n + 1) / 2; j <= n; ++j) {
    sum += choose(n, j) * power_of(under, j) * power_of(between, n - j);
  }
  return sum;
}

// P(max T < min C, med T <= ratio * med C), both odd and 3 or more.
double integrated(const Normal& treated, std::uint32_t nt, const Normal& comparator, std::uint32_t nc,
                  double ratio) {
  const std::uint32_t k = (nc + 1) / 2;
  const double ways =
      nc * (nc - 1.0) * choose(nc - 2, k - 2);  // of naming the least, the median, those between
  const double reach = kReach * comparator.deviation;
  const auto with_median = [&](double m) {
    const double under = comparator.below(m);
    const auto with_least = [&](double x) {
      return comparator.density(x) * power_of(under - comparator.below(x), k - 2) *
             all_and_median_below(treated, nt, x, ratio * m);
    };
    const double lowest = comparator.mean - reach;
    const double bend = std::clamp(ratio * m, lowest, m);  // where T's median stops being the tighter bound
    const double inner = integral(lowest, bend, 2, with_least) + integral(bend, m, 1, with_least);
    return ways * comparator.density(m) * power_of(1 - under, nc - k) * inner;
  };
  return integral(comparator.mean - reach, comparator.mean + reach, 4, with_median);
}

// Standard normal repeats: of each draw the extreme and the median.
struct Draw {
  double least = 0;
  double median = 0;
  double most = 0;
};
std::vector<Draw> draws(std::uint32_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Draw> all(kDraws);
  std::vector<double> values(n);
  for (Draw& draw : all) {
    for (double& value : values) value = normal(random);
    std::ranges::sort(values);
    const double middle = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
    draw = {values.front(), middle, values.back()};
  }
  return all;
}

const std::vector<Draw>& kept_draws(std::uint32_t n, bool treated) {
  thread_local std::map<std::pair<std::uint32_t, bool>, std::vector<Draw>> kept;
  std::vector<Draw>& all = kept[{n, treated}];
  if (all.empty()) all = draws(n, kSeed + 2 * n + (treated ? 1 : 0));
  return all;
}

Probability sampled(const Normal& treated, std::uint32_t nt, const Normal& comparator, std::uint32_t nc,
                    double ratio) {
  const std::vector<Draw>& t = kept_draws(nt, true);
  const std::vector<Draw>& c = kept_draws(nc, false);
  const auto placed = [](const Normal& side, double z) { return side.mean + side.deviation * z; };
  std::size_t wins = 0;
  for (std::size_t i = 0; i < kDraws; ++i) {
    wins += placed(treated, t[i].most) < placed(comparator, c[i].least) &&
            placed(treated, t[i].median) <= ratio * placed(comparator, c[i].median);
  }
  const double p = static_cast<double>(wins) / static_cast<double>(kDraws);
  return {p, std::sqrt(std::max(p * (1 - p), 1.0 / kDraws) / kDraws)};
}

}  // namespace

// Where higher is better both sides are mirrored at zero: max(-T) < min(-C), med(-T) <= (1 + theta) med(-C).
Probability win_probability(const PowerQuestion& question) {
  const bool higher = question.better == Better::higher;
  const double sign = higher ? -1 : 1;
  const double mean = higher ? 1 + question.gain : 1 - question.gain;
  const Normal treated{sign * mean, std::max(question.treated_cv, kLeastCv) * std::abs(mean)};
  const Normal comparator{sign, std::max(question.comparator_cv, kLeastCv)};
  const double ratio = higher ? 1 + question.win_share : 1 - question.win_share;
  const auto in_range = [](std::uint32_t n) { return std::clamp<std::uint32_t>(n, 2, kMostPowerRuns); };
  const std::uint32_t nt = in_range(question.treated_runs);
  const std::uint32_t nc = in_range(question.comparator_runs);
  if (nt % 2 == 0 || nc % 2 == 0) return sampled(treated, nt, comparator, nc, ratio);
  return {std::clamp(integrated(treated, nt, comparator, nc, ratio), 0.0, 1.0), 0};
}

Repeats repeats_needed(const PowerQuestion& question, std::uint32_t least, double power) {
  Repeats out;
  const std::uint32_t from = std::clamp<std::uint32_t>(least, 2, kMostPowerRuns);
  for (std::uint32_t n = from; n <= std::max(from, kMostRepeats); ++n) {
    PowerQuestion asked = question;
    asked.treated_runs = asked.comparator_runs = n;
    const double found = win_probability(asked).value;
    if (found > out.best_power) {
      out.best = n;
      out.best_power = found;
    }
    if (found >= power) {
      out.needed = n;
      return out;
    }
    if (n >= out.best + 4) return out;  // wider ranges overlap more: it only falls from here
  }
  return out;
}

std::optional<double> smallest_gain(PowerQuestion question, double power) {
  double low = 0;
  double high = 0.5;
  question.gain = high;
  if (win_probability(question).value < power) return std::nullopt;
  while (high - low > 1e-4) {
    question.gain = (low + high) / 2;
    (win_probability(question).value >= power ? high : low) = question.gain;
  }
  return high;
}

}  // namespace pageproof::gonogo
