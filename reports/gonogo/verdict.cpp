#include "reports/gonogo/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/gonogo/warnings.hpp"

namespace pageproof::gonogo {
namespace {

const Decision* decision_of(const Cell& cell, const std::string& setup, const std::string& against) {
  for (const Decision& decision : cell.decisions) {
    if (decision.setup == setup && decision.against == against) return &decision;
  }
  return nullptr;
}

double weight_of(const Cell& cell, const Choices& choices) {
  if (choices.aggregation != Aggregation::weights) return 1;
  const auto found = choices.weights.find(to_string(cell.key));
  return found == choices.weights.end() ? 0 : found->second;
}

void count(SetupVerdict& out, const Decision& decision) {
  if (decision.status == CellStatus::infeasible) {
    ++out.infeasible;
  } else if (decision.status != CellStatus::decidable) {
    ++out.undecidable;
  } else if (decision.holds == Truth::yes) {
    ++out.passed;
  } else if (decision.holds == Truth::no) {
    ++out.failed;
    out.noisy += decision.noisy;
  } else {
    ++out.open;
  }
}

std::string_view needed_words(Aggregation aggregation) {
  switch (aggregation) {
    case Aggregation::any:
      return "one must pass";
    case Aggregation::all:
      return "all must pass";
    case Aggregation::weights:
      return "cells of more than half of the weight must pass";
    case Aggregation::majority:
      break;
  }
  return "more than half must pass";
}

std::string named(const SetupVerdict& setup) {
  return fmt::format("{} vs {}", setup.setup, setup.against);
}

// Questions of one rule that came out one way: in how many cells, against whom, and the first of them.
struct Group {
  std::size_t cells = 0;
  std::map<std::string, std::size_t> against;
  std::string example;
};

Group group_of(std::span<const Cell> cells, const SetupVerdict& setup, char rule, Truth truth) {
  Group group;
  for (const Cell& cell : cells) {
    const Decision* decision = decision_of(cell, setup.setup, setup.against);
    if (decision == nullptr || decision->status != CellStatus::decidable) continue;
    if ((rule == 'A' ? decision->rule_a : decision->rule_b) != truth) continue;
    bool counted = false;
    for (const Question& question : decision->questions) {
      if (question.rule != rule || question.verdict.holds != truth) continue;
      ++group.against[question.comparator];
      if (group.example.empty()) {
        group.example =
            fmt::format("{}: vs {}: {}", to_string(cell.key), question.comparator, question.verdict.why);
      }
      group.cells += !counted;
      counted = true;
    }
  }
  return group;
}

// "rule A fails in 3 of 6 decidable cells (vs a1 in 1, vs a2 in 3); first ...", one a rule and outcome.
void reasons_of_rules(std::span<const Cell> cells, const SetupVerdict& setup, std::vector<Reason>& out) {
  for (const char rule : {'A', 'B'}) {
    for (const Truth truth : {Truth::no, Truth::unknown, Truth::yes}) {
      const Group group = group_of(cells, setup, rule, truth);
      if (group.cells == 0) continue;
      const std::string_view verb = truth == Truth::yes ? "holds" : truth == Truth::no ? "fails" : "is open";
      std::string against;
      for (const auto& [comparator, number] : group.against) {
        against += fmt::format("{}vs {} in {}", against.empty() ? "" : ", ", comparator, number);
      }
      out.push_back({fmt::format("RULE_{}", rule),
                     fmt::format("{}: rule {} {} in {} of {} decidable cells ({}); first {}", named(setup),
                                 rule, verb, group.cells, setup.decidable(), against, group.example)});
    }
  }
}

void reasons_of_status(std::span<const Cell> cells, const SetupVerdict& setup, std::vector<Reason>& out) {
  std::map<CellStatus, std::pair<std::size_t, std::string>> groups;
  for (const Cell& cell : cells) {
    const Decision* decision = decision_of(cell, setup.setup, setup.against);
    if (decision == nullptr || decision->status == CellStatus::decidable) continue;
    std::string why = cell.infeasible;
    for (const Question& question : decision->questions) {
      if (why.empty() && question.status == decision->status) why = question.status_why;
    }
    auto& [number, example] = groups[decision->status];
    if (number++ == 0) example = fmt::format("{}: {}", to_string(cell.key), why);
  }
  for (const auto& [status, group] : groups) {
    out.push_back(
        {std::string(to_string(status)), fmt::format("{}: {} cells {}; first {}", named(setup), group.first,
                                                     to_string(status), group.second)});
  }
}

void reasons_of(const Judgement& judgement, const SetupVerdict& setup, std::vector<Reason>& out) {
  const Choices& choices = judgement.choices;
  out.push_back({"CELLS", fmt::format("{}: {} of {} decidable cells pass, {} fail, {} open; {}", named(setup),
                                      setup.passed, setup.decidable(), setup.failed, setup.open,
                                      needed_words(choices.aggregation))});
  if (!setup.covered) {
    out.push_back(
        {"COVERAGE", fmt::format("{}: {} of {} feasible cells are decidable, {:g} % are needed", named(setup),
                                 setup.decidable(), setup.feasible(), 100 * choices.coverage)});
  }
  reasons_of_rules(judgement.cells, setup, out);
  reasons_of_status(judgement.cells, setup, out);
  if (setup.noisy > 0) {
    out.push_back(
        {"NOISY", fmt::format("{}: {} of the {} cells that fail show a gain of {:g} % or more in overlapping "
                              "ranges: not counted (--noisy unknown keeps them open)",
                              named(setup), setup.noisy, setup.failed, 100 * choices.win_share)});
  }
  if (setup.fragile > 0) {
    out.push_back(
        {"FRAGILE",
         fmt::format("{}: in {} cells that pass, the TPOT guard of {:g} % lies between the best and "
                     "the worst pair of repeats (--guard strict fails them)",
                     named(setup), setup.fragile, 100 * judgement.choices.guard_share)});
  }
  if (setup.kernel_unknown > 0) {
    out.push_back(
        {"KERNEL_UNKNOWN", fmt::format("{}: in {} cells nobody recorded which decode kernel ran (sidecar, or "
                                       "--metadata {}=asm)",
                                       named(setup), setup.kernel_unknown, judgement.keys.kernel)});
  }
}

}  // namespace

SetupVerdict verdict_of(std::span<const Cell> cells, const std::string& setup, const std::string& against,
                        const Choices& choices, const Terms& terms) {
  SetupVerdict out{.setup = setup, .against = against};
  std::vector<Weighed> weighed;
  for (const Cell& cell : cells) {
    const Decision* decision = decision_of(cell, setup, against);
    if (decision == nullptr) continue;
    count(out, *decision);
    if (decision->status != CellStatus::decidable) continue;
    weighed.push_back({decision->holds, weight_of(cell, choices)});
    const auto unknown = [&](const std::string& name) {
      const SetupCell* found = cell.find(name);
      return found != nullptr && found->kernel_unknown;
    };
    out.kernel_unknown +=
        unknown(setup) || std::ranges::any_of(decision->questions, unknown, &Question::comparator);
    out.fragile +=
        decision->holds == Truth::yes && std::ranges::any_of(decision->questions, [](const Question& one) {
          return one.rule == 'B' && one.verdict.guard.fragile;
        });
  }
  out.covered = out.feasible() > 0 && terms.covered(static_cast<double>(out.decidable()),
                                                    static_cast<double>(out.feasible()), choices.coverage);
  out.go = out.covered ? over_cells(weighed, choices.aggregation, terms) : Truth::unknown;
  return out;
}

void conclude(Judgement& judgement) {
  std::vector<const SetupVerdict*> deciding;
  std::vector<const SetupVerdict*> others;
  for (const SetupVerdict& setup : judgement.setups) {
    (setup.setup == judgement.choices.decides ? deciding : others).push_back(&setup);
  }
  judgement.go = deciding.empty() ? Truth::unknown : Truth::yes;
  for (const SetupVerdict* setup : deciding) judgement.go = both(judgement.go, setup->go);
  if (judgement.cells.empty()) {
    judgement.reasons.push_back({"NO_CELLS", "no run has a place in a cell: nothing was judged"});
  }
  for (const SetupVerdict* setup : deciding) reasons_of(judgement, *setup, judgement.reasons);
  for (const SetupVerdict* setup : others) {
    judgement.reasons.push_back(
        {"OTHER",
         fmt::format("{}: {}: {} of {} decidable cells pass{}", named(*setup), verdict_word(setup->go),
                     setup->passed, setup->decidable(),
                     setup->setup == "d" ? " (d needs different backends on both sides: the RFC's decision 2)"
                                         : "")});
  }
  for (SetupVerdict& setup : judgement.setups) {
    std::vector<Reason> reasons;
    reasons_of(judgement, setup, reasons);
    for (const Reason& reason : reasons) setup.reasons.push_back(reason.text);
  }
  judgement.warnings = warnings_of(judgement);
}

}  // namespace pageproof::gonogo
