#include "reports/gonogo/consistency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace pageproof::gonogo {
namespace {

using results::Run;

bool decodes_shuffled(std::string_view setup) {
  return setup == "b" || setup == "c" || setup == "d" || setup == "e";
}

std::string kernel_of(const Run& run, const Keys& keys) {
  if (run.split && !run.split->decode_kernel.empty()) return run.split->decode_kernel;
  return run.tag(keys.kernel);
}

void invalidate(Placed& placed, const std::string& key, const std::string& value,
                const std::string& problem) {
  placed.status = RunStatus::invalid;
  placed.reasons.push_back(to_string(Error{placed.run->source, key, value, problem}));
}

// The reader compares token counts with the tags isl and osl; under other names it is done here.
void judge_tokens(Placed& placed, const Keys& keys, const Choices& choices) {
  const Run& run = *placed.run;
  if (!run.completed) return;
  const auto differ = [&](const std::string& field, std::optional<std::uint64_t> total, std::uint64_t length,
                          double tolerance) {
    const double expected = static_cast<double>(*run.completed) * static_cast<double>(length);
    if (!total || std::abs(static_cast<double>(*total) - expected) <= tolerance * expected) return;
    invalidate(placed, field, fmt::format("{}", *total),
               fmt::format("{} requests of {} tokens are {:g}", *run.completed, length, expected));
  };
  if (keys.osl != "osl") {
    differ("total_output_tokens", run.total_output_tokens, placed.cell->osl, choices.output_share);
  }
  if (keys.isl != "isl") {
    differ("total_input_tokens", run.total_input_tokens, placed.cell->isl, choices.input_share);
  }
}

void judge_kernel(Placed& placed, const Keys& keys, const Terms& terms) {
  if (placed.cell->osl == 1) return;
  const std::string kernel = kernel_of(*placed.run, keys);
  const bool shuffled = decodes_shuffled(placed.setup);
  placed.kernel_unknown = shuffled && kernel.empty();
  if (kernel.empty()) return;
  if (shuffled && !terms.kernel_is_shuffled(kernel)) {
    invalidate(placed, "decode kernel", kernel,
               fmt::format("KERNEL_WRONG: setup {} is measured only where the shuffled (asm) kernel ran",
                           placed.setup));
  } else if (!shuffled && !terms.kernel_is_unshuffled(kernel)) {
    invalidate(placed, "decode kernel", kernel,
               fmt::format("KERNEL_WRONG: setup {} decodes unshuffled pages, which this kernel does not read",
                           placed.setup));
  }
}

// Of one cell's runs, those whose value of `key` is not that of more than half of them.
void demand_same(std::vector<Placed*>& cell, const std::string& key) {
  std::map<std::string, std::size_t> counts;
  for (const Placed* placed : cell) ++counts[value_of(*placed->run, key)];
  if (counts.size() < 2) return;
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  const bool majority = 2 * most->second > cell.size();
  for (Placed* placed : cell) {
    const std::string value = value_of(*placed->run, key);
    if (majority && value == most->first) continue;
    invalidate(*placed, key, value,
               majority ? fmt::format("more than half of the cell's runs have {}", most->first)
                        : std::string("the runs of the cell differ, and no value has a majority"));
  }
  std::erase_if(cell, [](const Placed* placed) { return placed->status != RunStatus::valid; });
}

// A metric that the rules look at, as a file has it.
struct RuleMetric {
  std::string key;
  bool (*has)(const Run& run, const std::string& key);
};

std::array<RuleMetric, 4> rule_metrics(const Choices& choices) {
  const auto latency = [](Statistic which, const std::string& name) {
    return (which == Statistic::mean ? "mean_" : "median_") + name + "_ms";
  };
  const auto has = [](const Run& run, const std::string& key) { return run.metric(key).has_value(); };
  return {{{latency(choices.ttft_statistic, "ttft"), has},
           {latency(choices.tpot_statistic, "tpot"), has},
           {"output_throughput", has},
           {"prefill_throughput",
            [](const Run& run, const std::string&) { return stated_prefill_throughput(run).has_value(); }}}};
}

// Of one setup's runs in one cell, those without a metric that another has.
void demand_metric(std::vector<Placed*>& setup, const RuleMetric& metric, const Terms& terms) {
  const auto has = [&](const Placed* placed) { return metric.has(*placed->run, metric.key); };
  const auto sibling = std::ranges::find_if(setup, has);
  if (sibling == setup.end()) return;
  const std::string example = (*sibling)->run->source;
  for (Placed* placed : setup) {
    if (terms.has_as_siblings(has(placed), true)) continue;
    const std::string tag = placed->run->tag(metric.key);
    invalidate(*placed, metric.key, tag.empty() ? "absent" : tag,
               fmt::format("another run of setup {} in this cell has it: {}", placed->setup, example));
  }
  std::erase_if(setup, [](const Placed* placed) { return placed->status != RunStatus::valid; });
}

template <class Key>
std::map<Key, std::vector<Placed*>> valid_by(std::vector<Placed>& all, Key (*key_of)(const Placed&)) {
  std::map<Key, std::vector<Placed*>> out;
  for (Placed& placed : all) {
    if (placed.status == RunStatus::valid) out[key_of(placed)].push_back(&placed);
  }
  return out;
}

}  // namespace

void judge_alone(Placed& placed, const Keys& keys, const Choices& choices, const Terms& terms) {
  if (!terms.may_judge(*placed.run)) {
    for (const results::Finding& finding : placed.run->findings) {
      if (finding.weight == results::Weight::invalid) {
        invalidate(placed, finding.field, finding.value, finding.problem);
      }
    }
  }
  judge_tokens(placed, keys, choices);
  judge_kernel(placed, keys, terms);
}

void judge_together(std::vector<Placed>& all, const Choices& choices, const Terms& terms) {
  auto cells = valid_by<CellKey>(all, [](const Placed& placed) { return *placed.cell; });
  for (auto& [key, cell] : cells) {
    for (const std::string& same : choices.same) demand_same(cell, same);
  }
  using Setup = std::pair<CellKey, std::string>;
  auto setups = valid_by<Setup>(all, [](const Placed& placed) { return Setup(*placed.cell, placed.setup); });
  for (auto& [key, setup] : setups) {
    for (const RuleMetric& metric : rule_metrics(choices)) demand_metric(setup, metric, terms);
  }
}

}  // namespace pageproof::gonogo
