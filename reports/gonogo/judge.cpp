#include "reports/gonogo/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "reports/gonogo/samples.hpp"
#include "reports/gonogo/verdict.hpp"

namespace pageproof::gonogo {
namespace {

// Probabilities are asked for again and again with the same noise: kept by rounded questions.
class PowerOf {
 public:
  PowerOf(std::span<const Noise> noise, const Choices& choices, bool wanted)
      : noise_(noise), choices_(choices), wanted_(wanted) {}

  Power ask(const std::string& treated, const std::string& comparator, const std::string& metric,
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
    question.gain = std::round(std::clamp(comparison.gain, 0.0, 0.9) * 500) / 500;
    out.at_observed = comparison.gain <= 0 ? 0 : kept(question);
    return out;
  }

 private:
  double cv(const std::string& setup, const std::string& metric) const {
    for (const Noise& noise : noise_) {
      if (noise.setup == setup && noise.metric == metric) return noise.cv;
    }
    return 0;
  }

  double kept(const PowerQuestion& q) {
    const auto key =
        std::tuple(q.treated_runs, q.comparator_runs, q.treated_cv, q.comparator_cv, q.gain, q.better);
    const auto [at, fresh] = kept_.try_emplace(key, 0);
    if (fresh) at->second = win_probability(q).value;
    return at->second;
  }

  std::span<const Noise> noise_;
  const Choices& choices_;
  bool wanted_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, double, double, double, Better>, double> kept_;
};

struct Judging {
  const Choices& choices;
  const Terms& terms;
  PowerOf& power;
  bool has_e0 = false;
};

const std::vector<double>* values_of(const SetupCell* setup, const std::string& metric) {
  if (setup == nullptr) return nullptr;
  const auto found = setup->samples.find(metric);
  return found == setup->samples.end() ? nullptr : &found->second.values;
}

// Compared where both sides have a repeat or more; evidence only where both have enough.
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

struct Status {
  CellStatus status = CellStatus::decidable;
  std::string why;
};

Status status_of(const Judging& on, const Cell& cell, const std::string& treated,
                 const std::string& comparator) {
  if (!cell.infeasible.empty()) return {CellStatus::infeasible, cell.infeasible};
  for (const std::string& name : {treated, comparator}) {
    const SetupCell* setup = cell.find(name);
    if (setup == nullptr) return {CellStatus::missing, fmt::format("no file of setup {}", name)};
  }
  for (const std::string& name : {treated, comparator}) {
    const SetupCell& setup = *cell.find(name);
    if (!on.terms.enough(setup.valid, on.choices.runs)) {
      return {CellStatus::insufficient,
              fmt::format("setup {}: {} of {} runs valid, {} needed{}", name, setup.valid, setup.files,
                          on.choices.runs, setup.kernel_wrong ? ", KERNEL_WRONG" : "")};
    }
  }
  for (const std::string& name : {treated, comparator}) {
    const SetupCell& setup = *cell.find(name);
    if (setup.kernel_unknown && on.choices.kernel == Kernel::require) {
      return {CellStatus::kernel_unknown,
              fmt::format("setup {}: nobody recorded which decode kernel ran", name)};
    }
    if (!cell.planned_batch || !setup.effective_batch) continue;
    if (*setup.effective_batch < on.choices.reach * *cell.planned_batch) {
      return {CellStatus::unreachable,
              fmt::format("setup {} decoded {:.1f} requests at once ({}), {:g} were planned", name,
                          *setup.effective_batch, setup.batch_source, *cell.planned_batch)};
    }
  }
  return {};
}

Question ask(const Judging& on, const Cell& cell, char rule, const std::string& treated,
             const std::string& comparator) {
  Question question{.rule = rule, .comparator = comparator};
  const Status status = status_of(on, cell, treated, comparator);
  question.status = status.status;
  question.status_why = status.why;
  const SetupCell* t = cell.find(treated);
  const SetupCell* c = cell.find(comparator);
  Evidence evidence;
  if (t != nullptr && c != nullptr) compare_metrics(on, *t, *c, question, evidence);
  if (question.status != CellStatus::decidable) {
    question.verdict.why = status.why;
    return question;
  }
  question.verdict =
      rule == 'A' ? rule_a(evidence, on.choices, on.terms) : rule_b(evidence, on.choices, on.terms);
  return question;
}

// The unshuffled setup with the better TPOT, or the better throughput where TPOT is not there; of those with
// enough runs.
std::optional<std::string> fastest_unshuffled(const Judging& on, const Cell& cell) {
  std::optional<std::string> best;
  double best_cost = 0;
  for (const std::string name : {"a1", "a2"}) {
    const SetupCell* setup = cell.find(name);
    if (setup == nullptr || !on.terms.enough(setup->valid, on.choices.runs)) continue;
    const std::vector<double>* tpot = values_of(setup, "tpot");
    const std::vector<double>* output = values_of(setup, "output_throughput");
    if (tpot == nullptr && output == nullptr) continue;
    const double cost = tpot != nullptr ? on.terms.centre(*tpot) : 1 / on.terms.centre(*output);
    if (best && cost >= best_cost) continue;
    best = name;
    best_cost = cost;
  }
  return best;
}

std::vector<std::string> comparators(const Judging& on, const Cell& cell, const std::string& setup,
                                     const std::string& against) {
  if (setup == "e" && on.has_e0) return {"e0"};
  if (against == "best") return {fastest_unshuffled(on, cell).value_or("a1")};
  if (against == "a1+a2") return {"a1", "a2"};
  return {against};
}

// Which part made the decision, for a person: the first failing question, else the first open one.
const Question* decisive(const Decision& decision) {
  for (const Truth truth : {Truth::no, Truth::unknown}) {
    for (const Question& question : decision.questions) {
      if (question.verdict.holds == truth) return &question;
    }
  }
  return nullptr;
}

bool asked(const Decision& decision, const Choices& choices, char rule) {
  if (rule == 'B') return decision.rule_b_applies && choices.rules != Rules::a;
  return !decision.rule_b_applies || choices.rules != Rules::b;
}

Decision decide(const Judging& on, const Cell& cell, const std::string& setup, const std::string& against) {
  Decision out{.setup = setup, .against = against, .rule_b_applies = setup != "e"};
  const Choices& choices = on.choices;
  if (asked(out, choices, 'A')) {
    for (const std::string& comparator : comparators(on, cell, setup, against)) {
      out.questions.push_back(ask(on, cell, 'A', setup, comparator));
    }
    out.rule_a = out.questions.front().verdict.holds;
    for (std::size_t i = 1; i < out.questions.size(); ++i) {
      out.rule_a = on.terms.over_comparators(out.rule_a, out.questions[i].verdict.holds);
    }
    out.holds = out.rule_a;
  }
  if (asked(out, choices, 'B')) {
    const Question& question = out.questions.emplace_back(ask(on, cell, 'B', setup, "b"));
    out.rule_b = question.verdict.holds;
    out.holds = choices.rules == Rules::b ? out.rule_b : both(out.rule_a, out.rule_b);
  }
  // A rule that fails decides, whatever the questions that could not be asked would have said.
  if (out.holds == Truth::unknown) {
    for (const Question& question : out.questions) out.status = std::max(out.status, question.status);
  }
  if (!cell.infeasible.empty()) {
    out.status = CellStatus::infeasible;
    out.holds = Truth::unknown;
  }
  const auto fails_by_noise = [](const Question& question) {
    return question.verdict.holds != Truth::no || question.verdict.noisy;
  };
  out.noisy = out.holds == Truth::no && std::ranges::all_of(out.questions, fails_by_noise);
  if (const Question* question = decisive(out)) {
    out.why = fmt::format("rule {} vs {}: {}", question->rule, question->comparator, question->verdict.why);
  } else {
    for (const Question& one : out.questions) {
      out.why += fmt::format("{}rule {} vs {}: {}", out.why.empty() ? "" : "; ", one.rule, one.comparator,
                             one.verdict.why);
    }
  }
  return out;
}

std::vector<std::string> candidates(std::span<const Cell> cells, const Choices& choices) {
  std::vector<std::string> out;
  for (const std::string setup : {"c", "d", "e"}) {
    const bool seen =
        std::ranges::any_of(cells, [&](const Cell& cell) { return cell.find(setup) != nullptr; });
    if (seen || setup == choices.decides) out.push_back(setup);
  }
  return out;
}

std::vector<std::string> all_against(Against against, bool e0) {
  if (e0) return {"e0"};
  switch (against) {
    case Against::a1:
      return {"a1"};
    case Against::a2:
      return {"a2"};
    case Against::best:
      return {"best"};
    case Against::each:
      return {"a1", "a2"};
    case Against::both:
      break;
  }
  return {"a1+a2"};
}

}  // namespace

std::string_view to_string(CellStatus status) {
  switch (status) {
    case CellStatus::missing:
      return "MISSING";
    case CellStatus::insufficient:
      return "INSUFFICIENT";
    case CellStatus::kernel_unknown:
      return "KERNEL_UNKNOWN";
    case CellStatus::unreachable:
      return "UNREACHABLE";
    case CellStatus::infeasible:
      return "INFEASIBLE";
    case CellStatus::decidable:
      break;
  }
  return "DECIDABLE";
}

const SetupCell* Cell::find(std::string_view setup) const {
  const auto found = std::ranges::find(setups, setup, &SetupCell::setup);
  return found == setups.end() ? nullptr : &*found;
}

std::string_view verdict_word(Truth go) {
  return go == Truth::yes ? "GO" : go == Truth::no ? "NO-GO" : "INCONCLUSIVE";
}

Judgement judge(const Input& input, const Terms& terms) {
  Judgement out;
  out.choices = input.choices;
  out.keys = input.keys;
  out.refused.assign(input.refused.begin(), input.refused.end());
  out.left_out.assign(input.left_out.begin(), input.left_out.end());
  out.runs = place(input.runs, input.keys, input.choices, terms);
  out.cells = sampled_cells(out.runs, input.plan, input.keys, input.choices);
  out.noise = noise_of(out.cells);
  PowerOf power(out.noise, out.choices, input.power);
  Judging on{out.choices, terms, power};
  on.has_e0 = std::ranges::any_of(out.cells, [](const Cell& cell) { return cell.find("e0") != nullptr; });
  for (const std::string& setup : candidates(out.cells, out.choices)) {
    for (const std::string& against : all_against(out.choices.against, setup == "e" && on.has_e0)) {
      for (Cell& cell : out.cells) cell.decisions.push_back(decide(on, cell, setup, against));
      out.setups.push_back(verdict_of(out.cells, setup, against, out.choices, terms));
    }
  }
  conclude(out);
  if (input.power) add_power(out);
  return out;
}

}  // namespace pageproof::gonogo
