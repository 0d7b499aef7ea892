#include "reports/decision/plan_judge.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <random>
#include <span>

#include "reports/gonogo/rule.hpp"

namespace pageproof::decision {
namespace {

using gonogo::Better;
using gonogo::Truth;

enum SetupIndex : std::size_t { a1, a2, b, c, d };

// One setup's repeats, metric by metric.
struct Repeats {
  std::vector<double> tpot, ttft, output, prefill;
};

using Generator = std::mt19937_64;

// Which runs a measurement takes: those of setup s from order[first(s)] on.
class SeedDraw {
 public:
  SeedDraw(std::size_t seeds, std::uint32_t repeats) : order_(seeds), repeats_(repeats) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }
  void shuffle(Generator& generator) {
    const std::size_t used = std::min(order_.size(), kSetups * repeats_);
    for (std::size_t i = 0; i < used; ++i)
      std::swap(order_[i], order_[i + generator() % (order_.size() - i)]);
  }
  std::span<const std::size_t> of(std::size_t setup) const {
    const bool treated = setup == c || setup == d;
    const std::size_t at = order_.size() >= kSetups * repeats_ ? setup : treated ? 1 : 0;
    return std::span(order_).subspan(at * repeats_, repeats_);
  }

 private:
  std::vector<std::size_t> order_;
  std::size_t repeats_;
};

Repeats drawn(const std::vector<RunMetrics>& runs, std::span<const std::size_t> taken, const Draws& draws,
              Generator& generator) {
  Repeats out;
  std::normal_distribution<double> noise(0, draws.added_cv > 0 ? draws.added_cv : 1);
  const auto factor = [&] { return draws.added_cv > 0 ? std::exp(noise(generator)) : 1.0; };
  for (std::uint32_t i = 0; i < draws.repeats; ++i) {
    const RunMetrics& run = runs[draws.added_cv > 0 ? generator() % runs.size() : taken[i]];
    const double steps = factor(), prefills = factor();  // as the simulation's own noise: of each a factor
    out.tpot.push_back(run.tpot_ms * steps);
    out.ttft.push_back(run.ttft_ms * prefills);
    out.output.push_back(run.output_per_s / steps);
    out.prefill.push_back(run.prefill_per_s / prefills);
  }
  return out;
}

gonogo::Evidence evidence(const Repeats& treated, const Repeats& comparator, const gonogo::Choices& choices) {
  const auto compared = [&](std::vector<double> Repeats::* field, Better better) {
    return gonogo::compare(treated.*field, comparator.*field, better, choices);
  };
  return {.ttft = compared(&Repeats::ttft, Better::lower),
          .tpot = compared(&Repeats::tpot, Better::lower),
          .output_throughput = compared(&Repeats::output, Better::higher),
          .prefill_throughput = compared(&Repeats::prefill, Better::higher)};
}

double middle(const std::vector<RunMetrics>& runs, double RunMetrics::* field) {
  std::vector<double> values;
  for (const RunMetrics& run : runs) values.push_back(run.*field);
  std::ranges::sort(values);
  return values[values.size() / 2];
}

enum class Counted { nothing, passes, against };

bool loses(const std::optional<gonogo::Comparison>& comparison) {
  return comparison && comparison->outcome == gonogo::Outcome::loss;
}

// Both comparators have to be beaten; a loss to one of them counts.
Counted rule_a_counts(const gonogo::Evidence& one, const gonogo::Evidence& other,
                      const gonogo::Choices& choices) {
  const Truth holds = gonogo::both(gonogo::rule_a(one, choices).holds, gonogo::rule_a(other, choices).holds);
  if (holds == Truth::yes) return Counted::passes;
  const bool lost = std::ranges::any_of(std::array{&one, &other}, [](const gonogo::Evidence* evidence) {
    return loses(evidence->ttft) || loses(evidence->tpot) || loses(evidence->output_throughput);
  });
  return lost ? Counted::against : Counted::nothing;
}

Counted rule_b_counts(const gonogo::Evidence& evidence, const gonogo::Choices& choices) {
  const gonogo::RuleVerdict verdict = gonogo::rule_b(evidence, choices);
  if (verdict.holds == Truth::yes) return Counted::passes;
  const bool prefill_wins = evidence.prefill_throughput->outcome == gonogo::Outcome::win;
  const bool lost = verdict.guard.holds == Truth::no || (loses(evidence.ttft) && !prefill_wins);
  return lost ? Counted::against : Counted::nothing;
}

// Of the medians over all runs.
void add_gains(std::vector<RuleForecast>& rules, const SetupRuns& runs) {
  const auto ratio = [&](const std::vector<RunMetrics>& treated, std::size_t comparator,
                         double RunMetrics::* field) {
    return middle(treated, field) / middle(runs[comparator], field);
  };
  for (RuleForecast& rule : rules) {
    const auto& treated = runs[rule.setup == "c" ? c : d];
    if (rule.rule == 'A') {
      rule.gain =
          1 - std::max(ratio(treated, a1, &RunMetrics::tpot_ms), ratio(treated, a2, &RunMetrics::tpot_ms));
      rule.ttft =
          1 - std::max(ratio(treated, a1, &RunMetrics::ttft_ms), ratio(treated, a2, &RunMetrics::ttft_ms));
    } else {
      rule.ttft = 1 - ratio(treated, b, &RunMetrics::ttft_ms);
      rule.gain = std::max(rule.ttft, ratio(treated, b, &RunMetrics::prefill_per_s) - 1);
      rule.guard = ratio(treated, b, &RunMetrics::tpot_ms) - 1;
    }
  }
}

}  // namespace

RunMetrics metrics_of(const serving::Summary& summary) {
  return {.tpot_ms = summary.tpot_ms.mean,
          .ttft_ms = summary.ttft_ms.median,
          .output_per_s = summary.output_per_s(),
          .prefill_per_s = summary.prefill_tokens_per_s,
          .batch = summary.batch_mean,
          .seconds = summary.duration_s};
}

std::vector<RuleForecast> judge_point(const SetupRuns& runs, const Draws& draws) {
  std::vector<RuleForecast> rules = {{.setup = "c", .rule = 'A'},
                                     {.setup = "c", .rule = 'B'},
                                     {.setup = "d", .rule = 'A'},
                                     {.setup = "d", .rule = 'B'}};
  const gonogo::Choices choices;
  Generator generator(draws.seed);
  assert(draws.added_cv > 0 || runs[a1].size() >= 2 * draws.repeats);
  SeedDraw seeds(draws.added_cv > 0 ? kSetups * draws.repeats : runs[a1].size(), draws.repeats);
  for (std::uint32_t trial = 0; trial < draws.trials; ++trial) {
    std::array<Repeats, kSetups> measured;
    if (draws.added_cv == 0) seeds.shuffle(generator);
    for (std::size_t setup = 0; setup < kSetups; ++setup)
      measured[setup] = drawn(runs[setup], seeds.of(setup), draws, generator);
    for (RuleForecast& rule : rules) {
      const Repeats& treated = measured[rule.setup == "c" ? c : d];
      const Counted counted = rule.rule == 'A'
                                  ? rule_a_counts(evidence(treated, measured[a1], choices),
                                                  evidence(treated, measured[a2], choices), choices)
                                  : rule_b_counts(evidence(treated, measured[b], choices), choices);
      if (counted == Counted::passes) rule.passes += 1.0 / draws.trials;
      if (counted == Counted::against) rule.against += 1.0 / draws.trials;
    }
  }
  add_gains(rules, runs);
  return rules;
}

}  // namespace pageproof::decision
