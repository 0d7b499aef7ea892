#include "reports/gonogo/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "reports/results/client.hpp"

namespace pageproof::gonogo {
namespace {

using results::Run;

constexpr std::array<std::string_view, 4> kVersionTags = {"vllm_version", "version", "engine_version",
                                                          "image"};

const std::array<Metric, 17> kMetrics = {{
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
    {"request_throughput", "req/s", Better::higher, false},
    {"prefill", "ms", Better::lower, false},
    {"transfer", "ms", Better::lower, false},
    {"convert", "ms", Better::lower, false},
    {"first_step", "ms", Better::lower, false},
    {"effective_batch", "requests", Better::higher, false},
    {"arrival_cost", "ms", Better::lower, false},
}};

std::optional<double> number_tag(const Run& run, std::string_view tag) {
  const std::string text = run.tag(tag);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

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
  if (const auto said = first_of(run.metric("prefill_throughput"), number_tag(run, "prefill_throughput")))
    return said;
  if (!one_token || !run.total_input_tokens || !run.duration_s || *run.duration_s <= 0) return std::nullopt;
  return static_cast<double>(*run.total_input_tokens) / *run.duration_s;
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

// A sequence of setups in order of time: did each come in one block, where at least two have two runs?
bool in_blocks(std::span<const std::string> order) {
  std::map<std::string, std::size_t> runs;
  std::size_t changes = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    ++runs[order[i]];
    if (i > 0 && order[i] != order[i - 1]) ++changes;
  }
  const auto repeated = std::ranges::count_if(runs, [](const auto& entry) { return entry.second >= 2; });
  return repeated >= 2 && changes + 1 == runs.size();
}

std::optional<Reason> drift(std::span<const Placed> runs) {
  std::map<CellKey, std::vector<std::pair<std::string, std::string>>> dated;
  for (const Placed& placed : runs) {
    if (placed.status == RunStatus::valid && !placed.run->date.empty()) {
      dated[*placed.cell].emplace_back(placed.run->date, placed.setup);
    }
  }
  std::size_t blocks = 0;
  std::string example;
  for (auto& [key, cell] : dated) {
    std::ranges::sort(cell);
    std::vector<std::string> order;
    for (const auto& [date, setup] : cell) order.push_back(setup);
    if (!in_blocks(order)) continue;
    if (blocks++ == 0) example = to_string(key);
  }
  if (blocks == 0) return std::nullopt;
  return Reason{
      "DRIFT", fmt::format("in {} of {} cells all runs of each setup follow one another in time (first: {}): "
                           "a machine that drifts would look like a difference of setups; interleave them",
                           blocks, dated.size(), example)};
}

void mixed_versions(std::span<const Placed> runs, std::vector<Reason>& out) {
  for (const std::string_view tag : kVersionTags) {
    std::map<std::string, std::set<std::string>> setups;
    std::map<std::string, std::string> file;
    for (const Placed& placed : runs) {
      const std::string version = placed.run->tag(tag);
      if (placed.status != RunStatus::valid || version.empty()) continue;
      setups[version].insert(placed.setup);
      file.try_emplace(version, placed.run->source);
    }
    if (setups.size() < 2) continue;
    std::string found;
    for (const auto& [version, names] : setups) {
      found += fmt::format("{}{} in {} (first {})", found.empty() ? "" : "; ", printable(version),
                           fmt::join(names, " "), file[version]);
    }
    out.push_back({"VERSIONS", fmt::format("{}: versions are mixed: {}", tag, found)});
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
  for (const Planned& planned : plan) {
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
    if (!cell.planned_batch) cell.planned_batch = number_tag(*placed.run, keys.batch);
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
        if (values.size() < 2) continue;
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

std::vector<Reason> warnings_of(std::span<const Cell> cells, std::span<const Placed> runs) {
  std::vector<Reason> out;
  if (const auto found = drift(runs)) out.push_back(*found);
  mixed_versions(runs, out);
  std::size_t apart = 0;
  std::string example;
  for (const Cell& cell : cells) {
    const SetupCell* least = nullptr;
    const SetupCell* most = nullptr;
    for (const SetupCell& setup : cell.setups) {
      if (!setup.effective_batch) continue;
      if (least == nullptr || *setup.effective_batch < *least->effective_batch) least = &setup;
      if (most == nullptr || *setup.effective_batch > *most->effective_batch) most = &setup;
    }
    if (least == nullptr || *least->effective_batch >= 0.95 * *most->effective_batch) continue;
    if (apart++ > 0) continue;
    example = fmt::format("{}: {} decodes {:.1f} requests at once, {} {:.1f}", to_string(cell.key),
                          least->setup, *least->effective_batch, most->setup, *most->effective_batch);
  }
  if (apart > 0) {
    out.push_back(
        {"BATCH", fmt::format("in {} of {} cells the setups ran decode batches that differ by more than 5 %: "
                              "a smaller batch by itself makes TPOT better ({})",
                              apart, cells.size(), example)});
  }
  return out;
}

}  // namespace pageproof::gonogo
