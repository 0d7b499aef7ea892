#include "reports/gonogo/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/gonogo/simulated.hpp"
#include "reports/gonogo/warnings_runs.hpp"

namespace pageproof::gonogo {
namespace {

template <class List>
void left_out(const List& list, const std::string& code, std::string_view what, std::vector<Reason>& out) {
  if (!list.empty()) out.push_back({code, fmt::format("{} {}; first {}", list.size(), what, list.front())});
}

// The clause "at equal TTFT" is judged on the median; a p99 that loses is worth knowing.
std::optional<Reason> p99_ttft(const Judgement& judgement) {
  std::size_t cells = 0;
  std::string example;
  for (const Cell& cell : judgement.cells) {
    for (const Decision& decision : cell.decisions) {
      for (const Question& question : decision.questions) {
        if (question.rule != 'A' || question.verdict.ttft.equal != Truth::yes) continue;
        const auto found = std::ranges::find(question.compared, "p99_ttft", &Compared::metric);
        if (found == question.compared.end() || found->comparison.outcome != Outcome::loss) continue;
        if (cells++ > 0) continue;
        example = fmt::format("{}: {} vs {}: {:+.1f} %", to_string(cell.key), decision.setup,
                              question.comparator, 100 * found->comparison.gain);
      }
    }
  }
  if (cells == 0) return std::nullopt;
  return Reason{"P99_TTFT",
                fmt::format("in {} comparisons the median TTFT is equal and the p99 loses (first: {})", cells,
                            example)};
}

}  // namespace

std::vector<Reason> warnings_of(const Judgement& judgement) {
  std::vector<Reason> out;
  simulated_warnings(judgement.runs, out);
  std::vector<std::string> refused;
  for (const Error& error : judgement.refused) refused.push_back(to_string(error));
  std::vector<std::string> invalid;
  std::vector<std::string> unplaced;
  for (const Placed& placed : judgement.runs) {
    if (placed.status == RunStatus::invalid) invalid.push_back(placed.reasons.front());
    if (placed.status == RunStatus::unplaced) unplaced.push_back(placed.reasons.front());
  }
  left_out(refused, "REFUSED", "files could not be read", out);
  left_out(invalid, "INVALID", "runs are not judged", out);
  left_out(unplaced, "UNPLACED", "runs have no place in a cell", out);
  disagreements(judgement.runs, out);
  if (auto reason = units(judgement)) out.push_back(std::move(*reason));
  if (auto reason = outliers(judgement)) out.push_back(std::move(*reason));
  if (auto reason = drift(judgement.runs)) out.push_back(std::move(*reason));
  mixed_versions(judgement.runs, out);
  planned_batches(judgement, out);
  odd_tags(judgement, out);
  absent_keys(judgement, out);
  if (auto reason = batches_apart(judgement.cells)) out.push_back(std::move(*reason));
  if (auto reason = p99_ttft(judgement)) out.push_back(std::move(*reason));
  const auto has_prefill = [](const Cell& cell) {
    return std::ranges::any_of(
        cell.setups, [](const SetupCell& setup) { return setup.samples.contains("prefill_throughput"); });
  };
  if (!judgement.cells.empty() && judgement.choices.rules != Rules::a &&
      std::ranges::none_of(judgement.cells, has_prefill)) {
    out.push_back({"PREFILL",
                   "no file has prefill throughput: rule B rests on TTFT alone (runs of one output token, or "
                   "--metadata prefill_throughput=TOKENS_PER_SECOND, give it)"});
  }
  const bool e =
      std::ranges::any_of(judgement.setups, [](const SetupVerdict& setup) { return setup.setup == "e"; });
  const bool partner =
      std::ranges::any_of(judgement.cells, [](const Cell& cell) { return cell.find("e0") != nullptr; });
  if (e && judgement.choices.partner == Partner::unshuffled) {
    out.push_back(
        {"E_PARTNER",
         "setup e is compared with a1 and a2, whose prefills are not e's (--e-partner unshuffled)"});
  } else if (e && !partner) {
    out.push_back(
        {"E_PARTNER",
         "setup e has no partner: there are no runs of e0 (the same NVIDIA prefill with an unshuffled "
         "decoder); --e-partner unshuffled compares it with a1 and a2"});
  }
  for (const auto& [cell, weight] : judgement.choices.weights) {
    const bool seen =
        std::ranges::any_of(judgement.cells, [&](const Cell& one) { return to_string(one.key) == cell; });
    if (!seen)
      out.push_back({"WEIGHTS", fmt::format("weights: {}: {:g}: no such cell", printable(cell), weight)});
  }
  return out;
}

}  // namespace pageproof::gonogo
