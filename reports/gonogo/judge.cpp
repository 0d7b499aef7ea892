#include "reports/gonogo/judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/gonogo/compared.hpp"
#include "reports/gonogo/samples.hpp"
#include "reports/gonogo/units.hpp"
#include "reports/gonogo/verdict.hpp"

namespace pageproof::gonogo {
namespace {

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

// `suspect`: why the numbers of the setups that a decision compares cannot be of one unit.
Question ask(const Judging& on, const Cell& cell, char rule, const std::string& treated,
             const std::string& comparator, const std::string& suspect) {
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
  if (!suspect.empty()) {
    question.verdict.why = suspect;
    return question;
  }
  question.verdict =
      rule == 'A' ? rule_a(evidence, on.choices, on.terms) : rule_b(evidence, on.choices, on.terms);
  return question;
}

// The better of a1 and a2, both of which have enough runs: by TPOT, or by output throughput where one of them
// has no TPOT. Where they have no metric in common, both: the faster of them is then beaten, too.
std::vector<std::string> fastest_unshuffled(const Judging& on, const Cell& cell) {
  for (const auto& [metric, sign] : {std::pair("tpot", 1.0), std::pair("output_throughput", -1.0)}) {
    const std::vector<double>* one = values_of(cell.find("a1"), metric);
    const std::vector<double>* other = values_of(cell.find("a2"), metric);
    if (one == nullptr || other == nullptr) continue;
    return {sign * on.terms.centre(*other) < sign * on.terms.centre(*one) ? "a2" : "a1"};
  }
  return {"a1", "a2"};
}

// Which of a1 and a2 is the faster is known where both were measured; else the question goes to the one that
// was not, and has its status.
std::vector<std::string> best_unshuffled(const Judging& on, const Cell& cell) {
  const auto enough = [&](const std::string& name) {
    const SetupCell* setup = cell.find(name);
    return setup != nullptr && on.terms.enough(setup->valid, on.choices.runs);
  };
  const bool a1 = enough("a1");
  const bool a2 = enough("a2");
  if (a1 && a2) return fastest_unshuffled(on, cell);
  const std::string measured = a1 ? "a1" : "a2";
  const std::string other = a1 ? "a2" : "a1";
  return {on.terms.fastest_is_known(a1, a2) ? measured : other};
}

std::vector<std::string> comparators(const Judging& on, const Cell& cell, const std::string& setup,
                                     const std::string& against) {
  if (on.terms.needs_partner(setup, on.choices.partner)) return {"e0"};
  if (against == "best") return best_unshuffled(on, cell);
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
  const std::vector<std::string> unshuffled = comparators(on, cell, setup, against);
  std::vector<std::string> involved{setup};
  if (asked(out, choices, 'A')) involved.insert(involved.end(), unshuffled.begin(), unshuffled.end());
  if (asked(out, choices, 'B')) involved.emplace_back("b");
  const std::string suspect = units_apart(cell, on.runs, involved, on.terms);
  if (asked(out, choices, 'A')) {
    for (const std::string& comparator : unshuffled) {
      out.questions.push_back(ask(on, cell, 'A', setup, comparator, suspect));
    }
    out.rule_a = out.questions.front().verdict.holds;
    for (std::size_t i = 1; i < out.questions.size(); ++i) {
      out.rule_a = on.terms.over_comparators(out.rule_a, out.questions[i].verdict.holds);
    }
    out.holds = out.rule_a;
  }
  if (asked(out, choices, 'B')) {
    const Question& question = out.questions.emplace_back(ask(on, cell, 'B', setup, "b", suspect));
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
  const Judging on{out.choices, terms, out.runs, power};
  for (const std::string& setup : candidates(out.cells, out.choices)) {
    for (const std::string& against :
         all_against(out.choices.against, terms.needs_partner(setup, out.choices.partner))) {
      for (Cell& cell : out.cells) cell.decisions.push_back(decide(on, cell, setup, against));
      out.setups.push_back(verdict_of(out.cells, setup, against, out.choices, terms));
    }
  }
  conclude(out);
  if (input.power) add_power(out);
  return out;
}

}  // namespace pageproof::gonogo
