#include "reports/gonogo/document.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/gonogo/words.hpp"

namespace pageproof::gonogo {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Reason& reason);
Json json_of(const Error& error);
Json json_of(const Compared& compared);
Json json_of(const Question& question);
Json json_of(const Decision& decision);
Json json_of(const GapDifference& one);
Json json_of(const SetupVerdict& setup);
Json json_of(const Placed& placed);
Json json_of(const Noise& noise);
Json json_of(const PowerRow& row);
Json json_of(const Choice& choice);

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const Reason& reason) {
  return {{"code", reason.code}, {"text", reason.text}};
}

template <class List>
Json list_of(const List& list) {
  Json out = Json::array();
  for (const auto& one : list) out.push_back(json_of(one));
  return out;
}

Json json_of(const Error& error) {
  return {{"file", error.subject}, {"key", error.field}, {"value", error.value}, {"problem", error.problem}};
}

Json json_of(const Range& range) {
  return {{"median", range.centre}, {"min", range.low}, {"max", range.high}, {"runs", range.runs}};
}

const Metric* metric_named(const std::string& name) {
  for (const Metric& metric : metrics()) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

std::string unit_of(const std::string& name) {
  const Metric* metric = metric_named(name);
  return metric == nullptr ? "" : metric->unit;
}

Json json_of(const Compared& compared) {
  const Comparison& one = compared.comparison;
  Json out = {{"metric", compared.metric},
              {"unit", unit_of(compared.metric)},
              {"better", to_string(one.better)},
              {"outcome", to_string(one.outcome)},
              {"tie", to_string(one.tie)},
              {"gain", one.gain},
              {"ranges", one.apart > 0   ? "better"
                         : one.apart < 0 ? "worse"
                                         : "overlap"},
              {"treated", json_of(one.treated)},
              {"comparator", json_of(one.comparator)}};
  const Metric* metric = metric_named(compared.metric);
  if (metric != nullptr && metric->rule) {
    out["power"] = {{"treated_cv", compared.power.treated_cv},
                    {"comparator_cv", compared.power.comparator_cv},
                    {"win_if_gain_is_true", compared.power.at_observed},
                    {"win_if_no_gain", compared.power.false_win}};
  }
  return out;
}

Json json_of(const Question& question) {
  const RuleVerdict& verdict = question.verdict;
  Json out = {{"rule", std::string(1, question.rule)},
              {"comparator", question.comparator},
              {"status", to_string(question.status)},
              {"status_why", question.status_why},
              {"outcome", to_string(verdict.holds)},
              {"why", verdict.why},
              {"noisy", verdict.noisy}};
  if (question.rule == 'A') {
    out["equal_ttft"] = {{"outcome", to_string(verdict.ttft.equal)}, {"why", verdict.ttft.why}};
  } else {
    out["tpot_guard"] = {{"outcome", to_string(verdict.guard.holds)},
                         {"worse", verdict.guard.worse},
                         {"least", verdict.guard.least},
                         {"most", verdict.guard.most},
                         {"fragile", verdict.guard.fragile}};
  }
  out["compared"] = list_of(question.compared);
  return out;
}

Json json_of(const Decision& decision) {
  return {{"setup", decision.setup},
          {"against", decision.against},
          {"status", to_string(decision.status)},
          {"outcome", to_string(decision.holds)},
          {"rule_a", to_string(decision.rule_a)},
          {"rule_b", decision.rule_b_applies ? Json(to_string(decision.rule_b)) : Json(nullptr)},
          {"noisy", decision.noisy},
          {"why", decision.why},
          {"questions", list_of(decision.questions)}};
}

Json json_of(const GapCost& gaps) {
  return {{"clean", gaps.clean},
          {"interfered", gaps.interfered},
          {"interfered_share", gaps.interfered_share()},
          {"clean_mean_ms", gaps.clean_mean_ms()},
          {"interfered_mean_ms", gaps.interfered_mean_ms()},
          {"delta_ms", gaps.delta_ms()},
          {"arrival_ms", or_null(gaps.arrival_ms())}};
}

Json json_of(const GapDifference& one) {
  return {{"setup", one.setup},
          {"comparator", one.comparator},
          {"delta_ms", one.delta_ms},
          {"arrival_ms", or_null(one.arrival_ms)}};
}

Json json_of(const SetupCell& setup, const Judgement& judgement) {
  Json samples = Json::object();
  for (const Metric& metric : metrics()) {
    const auto found = setup.samples.find(metric.name);
    if (found == setup.samples.end()) continue;
    Json runs = Json::array();
    for (const std::size_t run : found->second.of_run) runs.push_back(judgement.runs[run].run->source);
    Json sample = {{"unit", metric.unit}, {"better", to_string(metric.better)}};
    sample.update(json_of(range_of(found->second.values, kLaw)));
    sample["runs"] = found->second.values.size();
    sample["values"] = found->second.values;
    sample["files"] = std::move(runs);
    samples[metric.name] = std::move(sample);
  }
  return {{"setup", setup.setup},
          {"files", setup.files},
          {"valid", setup.valid},
          {"kernel_unknown", setup.kernel_unknown},
          {"kernel_wrong", setup.kernel_wrong},
          {"effective_batch", or_null(setup.effective_batch)},
          {"effective_batch_from", setup.batch_source},
          {"metrics", std::move(samples)},
          {"gaps", setup.gaps ? json_of(*setup.gaps) : Json(nullptr)}};
}

Json json_of(const Cell& cell, const Judgement& judgement) {
  Json setups = Json::array();
  for (const SetupCell& setup : cell.setups) setups.push_back(json_of(setup, judgement));
  return {{"cell", to_string(cell.key)},
          {"model", cell.key.model},
          {"workload", cell.key.workload},
          {"isl", cell.key.isl},
          {"osl", cell.key.osl},
          {"load", load_of(cell.key)},
          {"pd", cell.key.pd},
          {"planned_batch", or_null(cell.planned_batch)},
          {"infeasible", cell.infeasible},
          {"setups", std::move(setups)},
          {"decisions", list_of(cell.decisions)},
          {"arrival_differences", list_of(cell.differences)}};
}

Json json_of(const SetupVerdict& setup) {
  return {{"setup", setup.setup},
          {"against", setup.against},
          {"verdict", verdict_word(setup.go)},
          {"passed", setup.passed},
          {"failed", setup.failed},
          {"open", setup.open},
          {"undecidable", setup.undecidable},
          {"infeasible", setup.infeasible},
          {"decidable", setup.decidable()},
          {"feasible", setup.feasible()},
          {"covered", setup.covered},
          {"noisy", setup.noisy},
          {"kernel_unknown", setup.kernel_unknown},
          {"fragile", setup.fragile},
          {"reasons", setup.reasons}};
}

Json json_of(const Placed& placed) {
  return {{"file", placed.run->source},
          {"tool", results::to_string(placed.run->tool)},
          {"date", placed.run->date},
          {"status", to_string(placed.status)},
          {"cell", placed.cell ? Json(to_string(*placed.cell)) : Json(nullptr)},
          {"setup", placed.setup},
          {"simulated", placed.run->simulated},
          {"kernel_unknown", placed.kernel_unknown},
          {"reasons", placed.reasons}};
}

Json json_of(const Noise& noise) {
  return {{"setup", noise.setup},
          {"metric", noise.metric},
          {"cv", noise.cv},
          {"cells", noise.cells},
          {"runs", noise.runs}};
}

Json json_of(const PowerRow& row) {
  return {{"cv", row.cv},
          {"runs", row.runs},
          {"gain", row.gain},
          {"win", row.win.value},
          {"win_error", row.win.error},
          {"repeats_needed", or_null(row.repeats.needed)},
          {"best_repeats", row.repeats.best},
          {"best_win", row.repeats.best_power}};
}

Json json_of(const Choice& choice) {
  return {{"flag", choice.flag}, {"value", choice.value}, {"meaning", choice.meaning}};
}

// A field of CSV, quoted where it has to be. A spreadsheet takes a text that begins so for a formula: an
// apostrophe makes it text again.
std::string field(const std::string& text) {
  const bool formula = !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos;
  const std::string safe = (formula ? "'" : "") + visible(text);
  if (safe.find_first_of(",\"") == std::string::npos) return safe;
  std::string out = "\"";
  for (const char c : safe) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

Json document_of(const Judgement& judgement) {
  Json cells = Json::array();
  for (const Cell& cell : judgement.cells) cells.push_back(json_of(cell, judgement));
  return {{"command", "gonogo"},
          {"version", kDocumentVersion},
          {"verdict", verdict_word(judgement.go)},
          {"decides", judgement.choices.decides},
          {"reasons", list_of(judgement.reasons)},
          {"warnings", list_of(judgement.warnings)},
          {"choices", list_of(stated(judgement.choices))},
          {"setups", list_of(judgement.setups)},
          {"cells", std::move(cells)},
          {"noise", list_of(judgement.noise)},
          {"power", list_of(judgement.power)},
          {"smallest_gain", or_null(judgement.smallest_gain)},
          {"comparisons", judgement.comparisons},
          {"expected_false_wins", judgement.expected_false_wins},
          {"runs", list_of(judgement.runs)},
          {"refused", list_of(judgement.refused)},
          {"left_out", list_of(judgement.left_out)}};
}

std::string csv_of(const Judgement& judgement) {
  std::string out = "cell,setup,metric,run,value,unit\n";
  for (const Cell& cell : judgement.cells) {
    for (const SetupCell& setup : cell.setups) {
      for (const Metric& metric : metrics()) {
        const auto found = setup.samples.find(metric.name);
        if (found == setup.samples.end()) continue;
        const Sample& sample = found->second;
        for (std::size_t i = 0; i < sample.values.size(); ++i) {
          out +=
              fmt::format("{},{},{},{},{},{}\n", field(to_string(cell.key)), setup.setup, metric.name,
                          field(judgement.runs[sample.of_run[i]].run->source), sample.values[i], metric.unit);
        }
      }
    }
  }
  return out;
}

}  // namespace pageproof::gonogo
