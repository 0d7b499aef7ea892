// What the rule can see at the noise that was met, and how many wins chance alone would give.
#include <algorithm>
#include <array>
#include <map>

#include "reports/gonogo/verdict.hpp"

namespace pageproof::gonogo {
namespace {

constexpr std::array kGains = {0.0, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08};

// The noise that the rule met on TPOT: of the deciding setup and of its comparators, the larger.
double met_cv(const Judgement& judgement) {
  double cv = 0;
  for (const Noise& noise : judgement.noise) {
    if (noise.metric == "tpot") cv = std::max(cv, noise.cv);
  }
  return cv;
}

std::uint32_t usual_runs(const Judgement& judgement) {
  std::map<std::size_t, std::size_t> seen;
  for (const Cell& cell : judgement.cells) {
    for (const SetupCell& setup : cell.setups) {
      if (setup.valid >= 2) ++seen[setup.valid];
    }
  }
  if (seen.empty()) return judgement.choices.runs;
  const auto most = std::ranges::max_element(seen, {}, [](const auto& entry) { return entry.second; });
  return static_cast<std::uint32_t>(std::min<std::size_t>(most->first, kMostPowerRuns));
}

void fill_power(Judgement& judgement) {
  const double cv = met_cv(judgement);
  if (cv <= 0) return;
  const std::uint32_t runs = usual_runs(judgement);
  for (const double gain : kGains) {
    const PowerQuestion question{.treated_runs = runs,
                                 .comparator_runs = runs,
                                 .treated_cv = cv,
                                 .comparator_cv = cv,
                                 .gain = gain,
                                 .win_share = judgement.choices.win_share,
                                 .better = Better::lower};
    PowerRow row{.cv = cv, .runs = runs, .gain = gain, .win = win_probability(question), .repeats = {}};
    if (gain > judgement.choices.win_share)
      row.repeats = repeats_needed(question, judgement.choices.runs, judgement.choices.power);
    judgement.power.push_back(row);
  }
  judgement.smallest_gain = smallest_gain({.treated_runs = runs,
                                           .comparator_runs = runs,
                                           .treated_cv = cv,
                                           .comparator_cv = cv,
                                           .win_share = judgement.choices.win_share},
                                          judgement.choices.power);
}

// Of the metrics that can win a rule, in questions that were decided.
void fill_false_wins(Judgement& judgement) {
  for (const Cell& cell : judgement.cells) {
    for (const Decision& decision : cell.decisions) {
      for (const Question& question : decision.questions) {
        if (question.status != CellStatus::decidable) continue;
        for (const Compared& compared : question.compared) {
          const bool decode = compared.metric == "tpot" || compared.metric == "output_throughput";
          const bool prefill = compared.metric == "ttft" || compared.metric == "prefill_throughput";
          if (question.rule == 'A' ? !decode : !prefill) continue;
          ++judgement.comparisons;
          judgement.expected_false_wins += compared.power.false_win;
        }
      }
    }
  }
}

}  // namespace

void add_power(Judgement& judgement) {
  fill_power(judgement);
  fill_false_wins(judgement);
}

}  // namespace pageproof::gonogo
