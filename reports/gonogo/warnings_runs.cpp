#include "reports/gonogo/warnings_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "reports/gonogo/units.hpp"

namespace pageproof::gonogo {
namespace {

constexpr std::size_t kMostNamed = 4;
constexpr std::size_t kMostKeys = 4;
constexpr std::array<std::string_view, 4> kVersionTags = {"vllm_version", "version", "engine_version",
                                                          "image"};

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

}  // namespace

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

// Runs whose file says two things: the reader took what their arrays give, and a person must know whose.
void disagreements(std::span<const Placed> runs, std::vector<Reason>& out) {
  std::vector<std::string> files;
  for (const Placed& placed : runs) {
    std::vector<std::string> keys;
    for (const results::Finding& finding : placed.run->findings) {
      const std::string key = printable(finding.field);
      const bool new_key = std::ranges::find(keys, key) == keys.end();
      if (finding.weight == results::Weight::disagreement && new_key) keys.push_back(key);
    }
    if (!keys.empty()) {
      files.push_back(fmt::format("{}: {}", printable(placed.run->source), some_of(keys, kMostKeys)));
    }
  }
  if (files.empty()) return;
  out.push_back(
      {"DISAGREEMENT",
       fmt::format("{} files contradict themselves; where their own arrays give another value, that "
                   "one is judged ({})",
                   files.size(), some_of(files, kMostNamed))});
}

std::optional<Reason> units(const Judgement& judgement) {
  std::vector<std::string> lines;
  for (const Cell& cell : judgement.cells) {
    std::vector<std::string> setups;
    for (const SetupCell& setup : cell.setups) setups.push_back(setup.setup);
    const std::string line = units_apart(cell, judgement.runs, setups, kLaw);
    if (!line.empty()) lines.push_back(line);
  }
  if (lines.empty()) return std::nullopt;
  return Reason{"UNITS", fmt::format("in {} of {} cells medians are more than {:g} times apart; first {}",
                                     lines.size(), judgement.cells.size(), kMostApart, lines.front())};
}

// Repeats of one setup that are no repeats of each other.
std::optional<Reason> outliers(const Judgement& judgement) {
  std::vector<std::string> found;
  for (const Cell& cell : judgement.cells) {
    for (const SetupCell& setup : cell.setups) {
      for (const Metric& metric : metrics()) {
        const auto sample = setup.samples.find(metric.name);
        if (!metric.rule || sample == setup.samples.end()) continue;
        const std::vector<double>& values = sample->second.values;
        const auto [least, most] = std::ranges::minmax_element(values);
        if (kLaw.one_unit(*least, *most)) continue;
        const auto named = [&](auto at) {
          const std::size_t run = sample->second.of_run[static_cast<std::size_t>(at - values.begin())];
          return fmt::format("{:g} {} in {}", *at, metric.unit, printable(judgement.runs[run].run->source));
        };
        found.push_back(fmt::format("{} {}: {}: {}, {}", to_string(cell.key), setup.setup, metric.name,
                                    named(least), named(most)));
      }
    }
  }
  if (found.empty()) return std::nullopt;
  return Reason{"OUTLIERS",
                fmt::format("repeats of one setup are more than {:g} times apart: not counted as noise ({})",
                            kMostApart, some_of(found, kMostNamed))};
}

// Files of one cell that plan different decode batches.
void planned_batches(const Judgement& judgement, std::vector<Reason>& out) {
  std::map<CellKey, std::map<double, std::string>> planned;
  for (const Placed& placed : judgement.runs) {
    if (!placed.cell || placed.cell->osl == 1) continue;
    const auto batch = number_tag(*placed.run, judgement.keys.batch);
    if (batch) planned[*placed.cell].try_emplace(*batch, printable(placed.run->source));
  }
  std::vector<std::string> found;
  for (const Cell& cell : judgement.cells) {
    std::map<double, std::string>& batches = planned[cell.key];
    if (cell.planned_batch) batches.try_emplace(*cell.planned_batch, "the plan");
    if (batches.size() < 2) continue;
    std::vector<std::string> named;
    for (const auto& [batch, file] : batches) named.push_back(fmt::format("{:g} in {}", batch, file));
    found.push_back(fmt::format("{}: {}: {}, judged by {:g}", to_string(cell.key), judgement.keys.batch,
                                some_of(named, kMostNamed), *cell.planned_batch));
  }
  if (found.empty()) return;
  out.push_back({"PLANNED_BATCH", fmt::format("{} cells have different planned decode batches; first {}",
                                              found.size(), found.front())});
}

// Tags that must be numbers and are none: read as if they were not there.
void odd_tags(const Judgement& judgement, std::vector<Reason>& out) {
  for (const std::string& tag : {std::string("prefill_throughput"), judgement.keys.batch}) {
    std::vector<std::string> found;
    for (const Placed& placed : judgement.runs) {
      const std::string value = placed.run->tag(tag);
      if (value.empty() || number_tag(*placed.run, tag)) continue;
      found.push_back(fmt::format("{}: {}: {}", printable(placed.run->source), tag, printable(value)));
    }
    if (found.empty()) continue;
    out.push_back(
        {"TAGS", fmt::format("{} files have a tag that is no number above 0 and is not used; first {}",
                             found.size(), found.front())});
  }
}

// --same with a key that nobody wrote demands nothing.
void absent_keys(const Judgement& judgement, std::vector<Reason>& out) {
  for (const std::string& key : judgement.choices.same) {
    if (judgement.runs.empty() || std::ranges::count(same_by_default(), key) > 0) continue;
    const auto has = [&](const Placed& placed) { return value_of(*placed.run, key) != "unknown"; };
    if (std::ranges::any_of(judgement.runs, has)) continue;
    out.push_back(
        {"SAME", fmt::format("--same: {}: no run has this key: nothing is demanded by it", printable(key))});
  }
}

std::optional<Reason> batches_apart(std::span<const Cell> cells) {
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
  if (apart == 0) return std::nullopt;
  return Reason{"BATCH",
                fmt::format("in {} of {} cells the setups ran decode batches that differ by more than 5 %: "
                            "a smaller batch by itself makes TPOT better ({})",
                            apart, cells.size(), example)};
}

}  // namespace pageproof::gonogo
