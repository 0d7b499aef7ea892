#include "reports/gonogo/compared.hpp"

#include <algorithm>

namespace pageproof::gonogo {

Power PowerOf::ask(const std::string& treated, const std::string& comparator, const std::string& metric,
                   const Comparison& comparison) {
  Power out{.treated_cv = cv(treated, metric), .comparator_cv = cv(comparator, metric)};
  if (!wanted_ || comparison.treated.runs < 2 || comparison.comparator.runs < 2) return out;
  PowerQuestion question{.treated_runs = static_cast<std::uint32_t>(comparison.treated.runs),
                         .comparator_runs = static_cast<std::uint32_t>(comparison.comparator.runs),
                         .treated_cv = out.treated_cv,
                         .comparator_cv = out.comparator_cv,
                         .gain = 0,
                         .win_share = choices_.win_share,
                         .better = comparison.better};
  out.false_win = kept(question);
  question.gain = std::clamp(comparison.gain, 0.0, 0.9);
  out.at_observed = comparison.gain <= 0 ? 0 : kept(question);
  return out;
}

double PowerOf::cv(const std::string& setup, const std::string& metric) const {
  for (const Noise& noise : noise_) {
    if (noise.setup == setup && noise.metric == metric) return noise.cv;
  }
  return 0;
}

double PowerOf::kept(const PowerQuestion& q) {
  const auto key =
      std::tuple(q.treated_runs, q.comparator_runs, q.treated_cv, q.comparator_cv, q.gain, q.better);
  const auto [at, fresh] = kept_.try_emplace(key, 0);
  if (fresh) at->second = win_probability(q).value;
  return at->second;
}

const std::vector<double>* values_of(const SetupCell* setup, const std::string& metric) {
  if (setup == nullptr) return nullptr;
  const auto found = setup->samples.find(metric);
  return found == setup->samples.end() ? nullptr : &found->second.values;
}

void compare_metrics(const Judging& on, const SetupCell& treated, const SetupCell& comparator,
                     Question& question, Evidence& evidence) {
  for (const Metric& metric : metrics()) {
    const std::vector<double>* t = values_of(&treated, metric.name);
    const std::vector<double>* c = values_of(&comparator, metric.name);
    if (t == nullptr || c == nullptr) continue;
    const auto positive = [](double value) { return value > 0; };
    if (!std::ranges::all_of(*t, positive) || !std::ranges::all_of(*c, positive)) continue;
    Compared compared{metric.name, compare(*t, *c, metric.better, on.choices, on.terms), {}};
    if (metric.rule) {
      compared.power = on.power.ask(treated.setup, comparator.setup, metric.name, compared.comparison);
    }
    const bool enough =
        on.terms.enough(t->size(), on.choices.runs) && on.terms.enough(c->size(), on.choices.runs);
    if (enough && metric.name == "ttft") evidence.ttft = compared.comparison;
    if (enough && metric.name == "tpot") evidence.tpot = compared.comparison;
    if (enough && metric.name == "output_throughput") evidence.output_throughput = compared.comparison;
    if (enough && metric.name == "prefill_throughput") evidence.prefill_throughput = compared.comparison;
    question.compared.push_back(std::move(compared));
  }
}

}  // namespace pageproof::gonogo
