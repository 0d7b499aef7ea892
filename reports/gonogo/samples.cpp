#include "reports/gonogo/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "reports/results/client.hpp"
#include "reports/results/goodput.hpp"

namespace pageproof::gonogo {
namespace {

using results::Run;

const std::array<Metric, 18> kMetrics = {{
    {"ttft", "ms", Better::lower, true},
    {"tpot", "ms", Better::lower, true},
    {"output_throughput", "tok/s", Better::higher, true},
    {"prefill_throughput", "tok/s", Better::higher, true},
    {"p99_ttft", "ms", Better::lower, false},
    {"p99_tpot", "ms", Better::lower, false},
    {"p50_itl", "ms", Better::lower, false},
    {"p99_itl", "ms", Better::lower, false},
    {"mean_itl", "ms", Better::lower, false},
    {"goodput", "req/s", Better::higher, false},
    {"goodput_asked", "req/s", Better::higher, false},
    {"request_throughput", "req/s", Better::higher, false},
    {"prefill", "ms", Better::lower, false},
    {"transfer", "ms", Better::lower, false},
    {"convert", "ms", Better::lower, false},
    {"first_step", "ms", Better::lower, false},
    {"effective_batch", "requests", Better::higher, false},
    {"arrival_cost", "ms", Better::lower, false},
}};

std::optional<double> first_of(std::optional<double> one, std::optional<double> other) {
  return one ? one : other;
}

std::optional<double> spread(const Run& run, results::Spread results::Split::* part) {
  if (!run.split) return std::nullopt;
  const results::Spread& found = (*run.split).*part;
  return first_of(found.p50, found.mean);
}

std::optional<double> statistic(const Run& run, Statistic which, const std::string& metric) {
  return run.metric((which == Statistic::mean ? "mean_" : "median_") + metric + "_ms");
}

// The decode batch that ran: the sidecar's, or requests between first and last token over time, or the same
// by Little's law from the aggregates.
struct Batch {
  double mean = 0;
  std::string source;
};
std::optional<Batch> effective_batch(const Run& run) {
  if (run.split && run.split->effective_batch_mean) return Batch{*run.split->effective_batch_mean, "sidecar"};
  if (run.batch) return Batch{run.batch->mean, "requests"};
  if (run.detailed) {
    if (const auto batch = results::decode_batch(*run.detailed)) return Batch{batch->mean, "requests"};
  }
  const auto batch = results::decode_batch_by_rate(run);
  if (!batch) return std::nullopt;
  return Batch{*batch, "throughput x TPOT"};
}

std::optional<double> prefill_throughput(const Run& run, bool one_token) {
  if (const auto said = stated_prefill_throughput(run)) return said;
  if (!one_token || !run.total_input_tokens || !run.duration_s || *run.duration_s <= 0) return std::nullopt;
  return static_cast<double>(*run.total_input_tokens) / *run.duration_s;
}

std::optional<double> goodput_asked(const Run& run, const Choices& choices) {
  if (choices.objectives == results::Objectives{}) return std::nullopt;
  return results::goodput(run, choices.objectives);
}

using Values = std::map<std::string, std::optional<double>>;

Values values_of(const Run& run, const std::optional<GapCost>& gaps, const Choices& choices) {
  const auto batch = effective_batch(run);
  return {
      {"ttft", statistic(run, choices.ttft_statistic, "ttft")},
      {"tpot", statistic(run, choices.tpot_statistic, "tpot")},
      {"output_throughput", run.metric("output_throughput")},
      {"prefill_throughput", prefill_throughput(run, false)},
      {"p99_ttft", run.metric("p99_ttft_ms")},
      {"p99_tpot", run.metric("p99_tpot_ms")},
      {"p50_itl", first_of(run.metric("median_itl_ms"), run.metric("p50_itl_ms"))},
      {"p99_itl", run.metric("p99_itl_ms")},
      {"mean_itl", run.metric("mean_itl_ms")},
      {"goodput", run.metric("request_goodput")},
      {"goodput_asked", goodput_asked(run, choices)},
      {"request_throughput", run.metric("request_throughput")},
      {"prefill", spread(run, &results::Split::prefill_ms)},
      {"transfer", spread(run, &results::Split::transfer_ms)},
      {"convert", spread(run, &results::Split::convert_ms)},
      {"first_step", spread(run, &results::Split::first_step_ms)},
      {"effective_batch", batch ? std::optional(batch->mean) : std::nullopt},
      {"arrival_cost", gaps ? gaps->arrival_ms() : std::nullopt},
  };
}

void add(SetupCell& setup, const std::string& metric, std::optional<double> value, std::size_t run) {
  if (!value || !std::isfinite(*value)) return;
  setup.samples[metric].values.push_back(*value);
  setup.samples[metric].of_run.push_back(run);
}

SetupCell& setup_of(Cell& cell, const std::string& name) {
  for (SetupCell& setup : cell.setups) {
    if (setup.setup == name) return setup;
  }
  return cell.setups.emplace_back(SetupCell{.setup = name});
}

double median_of(std::vector<double> values) {
  return range_of(values, kLaw).centre;
}

using PrefillKey = std::tuple<CellKey, std::string>;

CellKey without_output(CellKey key) {
  key.osl = 0;
  return key;
}

void finish(Cell& cell, const std::map<std::string, std::vector<GapCost>>& gaps) {
  std::ranges::sort(cell.setups, {}, [](const SetupCell& setup) {
    return std::ranges::find(known_setups(), setup.setup) - known_setups().begin();
  });
  for (SetupCell& setup : cell.setups) {
    const auto batch = setup.samples.find("effective_batch");
    if (batch != setup.samples.end()) setup.effective_batch = median_of(batch->second.values);
    const auto found = gaps.find(setup.setup);
    if (found != gaps.end()) setup.gaps = pooled(found->second);
  }
  for (const SetupCell& one : cell.setups) {
    if (one.setup != "c" && one.setup != "d" && one.setup != "e") continue;
    for (const SetupCell& other : cell.setups) {
      const bool comparator = other.setup[0] == 'a' || other.setup == "b" || other.setup == "e0";
      if (!comparator || !one.gaps || !other.gaps) continue;
      cell.differences.push_back(difference(one.setup, *one.gaps, other.setup, *other.gaps));
    }
  }
}

}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

std::vector<Cell> sampled_cells(std::span<const Placed> runs, std::span<const Planned> plan, const Keys& keys,
                                const Choices& choices) {
  std::map<CellKey, Cell> cells;
  std::map<CellKey, std::map<std::string, std::vector<GapCost>>> gaps;
  std::map<PrefillKey, std::vector<std::pair<double, std::size_t>>> prefill;
  std::set<CellKey> plan_says;
  for (const Planned& planned : plan) {
    if (planned.batch) plan_says.insert(planned.key);
    cells[planned.key] = {
        .key = planned.key, .planned_batch = planned.batch, .infeasible = planned.infeasible};
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Placed& placed = runs[i];
    if (!placed.cell) continue;
    if (placed.cell->osl == 1) {
      const auto value = prefill_throughput(*placed.run, true);
      if (placed.status == RunStatus::valid && value) {
        prefill[{without_output(*placed.cell), placed.setup}].emplace_back(*value, i);
      }
      continue;
    }
    Cell& cell = cells.try_emplace(*placed.cell, Cell{.key = *placed.cell}).first->second;
    SetupCell& setup = setup_of(cell, placed.setup);
    ++setup.files;
    setup.kernel_unknown |= placed.kernel_unknown;
    setup.kernel_wrong |= std::ranges::any_of(placed.reasons, [](const std::string& reason) {
      return reason.find("KERNEL_WRONG") != std::string::npos;
    });
    // The plan's batch, or the largest that a run names: none is then taken for reached that is not.
    if (const auto batch = number_tag(*placed.run, keys.batch); batch && !plan_says.contains(cell.key)) {
      cell.planned_batch = std::max(cell.planned_batch.value_or(*batch), *batch);
    }
    if (placed.status != RunStatus::valid) continue;
    ++setup.valid;
    const auto split = gap_cost(*placed.run);
    if (split) gaps[cell.key][setup.setup].push_back(*split);
    for (const auto& [metric, value] : values_of(*placed.run, split, choices)) add(setup, metric, value, i);
    if (const auto batch = effective_batch(*placed.run)) setup.batch_source = batch->source;
  }
  std::vector<Cell> out;
  for (auto& [key, cell] : cells) {
    for (SetupCell& setup : cell.setups) {
      const auto found = prefill.find({without_output(key), setup.setup});
      if (found == prefill.end() || setup.samples.contains("prefill_throughput")) continue;
      for (const auto& [value, run] : found->second) add(setup, "prefill_throughput", value, run);
    }
    finish(cell, gaps[key]);
    out.push_back(std::move(cell));
  }
  return out;
}

std::vector<Noise> noise_of(std::span<const Cell> cells) {
  std::vector<Noise> out;
  for (const std::string& setup : known_setups()) {
    for (const Metric& metric : kMetrics) {
      if (!metric.rule) continue;
      Noise noise{.setup = setup, .metric = metric.name};
      double squares = 0;
      double freedom = 0;
      for (const Cell& cell : cells) {
        const SetupCell* found = cell.find(setup);
        if (found == nullptr || !found->samples.contains(metric.name)) continue;
        const std::vector<double>& values = found->samples.at(metric.name).values;
        // A repeat of another order of magnitude is no noise: warnings name it.
        const auto [least, most] = std::ranges::minmax(values);
        if (values.size() < 2 || !kLaw.one_unit(least, most)) continue;
        double mean = 0;
        for (const double value : values) mean += value / static_cast<double>(values.size());
        if (!(mean > 0)) continue;
        for (const double value : values) squares += (value / mean - 1) * (value / mean - 1);
        freedom += static_cast<double>(values.size() - 1);
        ++noise.cells;
        noise.runs += values.size();
      }
      if (noise.cells == 0) continue;
      noise.cv = std::sqrt(squares / freedom);
      out.push_back(noise);
    }
  }
  return out;
}

}  // namespace pageproof::gonogo
