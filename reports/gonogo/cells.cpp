#include "reports/gonogo/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

namespace pageproof::gonogo {
namespace {

using results::Run;

const std::array<std::string, 7> kSetups = {"a1", "a2", "b", "c", "d", "e0", "e"};

bool decodes_shuffled(std::string_view setup) {
  return setup == "b" || setup == "c" || setup == "d" || setup == "e";
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string or_unstated(std::string text) {
  return text.empty() ? "-" : text;
}

std::string no_place(const Run& run, std::string_view key, const std::string& value,
                     std::string_view problem) {
  return fmt::format("{}: {}: {}: {}", run.source, key, value.empty() ? "absent" : printable(value), problem);
}

// "c64", "r6", "64" (a concurrency), or what the run's own keys say.
std::optional<std::string> read_load(const Run& run, const Keys& keys, CellKey& cell) {
  const std::string text = run.tag(keys.load);
  if (text.empty()) {
    if (run.max_concurrency) {
      cell.load = static_cast<double>(*run.max_concurrency);
      return std::nullopt;
    }
    if (run.request_rate) {
      cell.load_kind = 'r';
      cell.load = *run.request_rate;
      return std::nullopt;
    }
    return no_place(run, keys.load, "", "no load: neither this tag nor max_concurrency nor request_rate");
  }
  const bool lettered = text[0] == 'c' || text[0] == 'r';
  const auto load = number_of<double>(std::string_view(text).substr(lettered ? 1 : 0));
  if (!load || !std::isfinite(*load) || *load <= 0) {
    return no_place(run, keys.load, text, "not a load such as 64, c64 or r6");
  }
  cell.load_kind = text[0] == 'r' ? 'r' : 'c';
  cell.load = *load;
  return std::nullopt;
}

std::optional<std::string> read_tokens(const Run& run, const std::string& key, std::uint64_t& out) {
  const std::string text = run.tag(key);
  const auto tokens = number_of<std::uint64_t>(text);
  if (!tokens || *tokens == 0) {
    return no_place(run, key, text, "a count of tokens is needed: --metadata, a mapping, or another key");
  }
  out = *tokens;
  return std::nullopt;
}

// What keeps the run from having a place; fills cell and setup.
std::optional<std::string> read_place(const Run& run, const Keys& keys, Placed& placed) {
  if (run.tool == results::Tool::vllm_iterations || run.tool == results::Tool::aiperf_aggregate) {
    return no_place(run, "form", std::string(to_string(run.tool)), "not one run of a benchmark");
  }
  placed.setup = run.tag(keys.setup);
  if (std::ranges::find(kSetups, placed.setup) == kSetups.end()) {
    return no_place(run, keys.setup, placed.setup, "a setup is a1, a2, b, c, d, e or e0");
  }
  CellKey cell;
  const std::string model = run.tag(keys.model);
  cell.model = or_unstated(model.empty() ? run.model_id : model);
  cell.workload = or_unstated(run.tag(keys.workload));
  cell.pd = or_unstated(run.tag(keys.pd));
  if (const auto problem = read_tokens(run, keys.isl, cell.isl)) return problem;
  if (const auto problem = read_tokens(run, keys.osl, cell.osl)) return problem;
  if (const auto problem = read_load(run, keys, cell)) return problem;
  placed.cell = cell;
  return std::nullopt;
}

std::string kernel_of(const Run& run, const Keys& keys) {
  if (run.split && !run.split->decode_kernel.empty()) return run.split->decode_kernel;
  return run.tag(keys.kernel);
}

void invalidate(Placed& placed, std::string reason) {
  placed.status = RunStatus::invalid;
  placed.reasons.push_back(std::move(reason));
}

// The reader compares token counts with the tags isl and osl; under other names it is done here.
void judge_tokens(Placed& placed, const Keys& keys, const Choices& choices) {
  const Run& run = *placed.run;
  if (!run.completed) return;
  const auto differ = [&](std::string_view field, std::optional<std::uint64_t> total, std::uint64_t length,
                          double tolerance) {
    const double expected = static_cast<double>(*run.completed) * static_cast<double>(length);
    if (!total || std::abs(static_cast<double>(*total) - expected) <= tolerance * expected) return;
    invalidate(placed, fmt::format("{}: {}: {}: {} requests of {} tokens are {:g}", run.source, field, *total,
                                   *run.completed, length, expected));
  };
  if (keys.osl != "osl") {
    differ("total_output_tokens", run.total_output_tokens, placed.cell->osl, choices.output_share);
  }
  if (keys.isl != "isl") {
    differ("total_input_tokens", run.total_input_tokens, placed.cell->isl, choices.input_share);
  }
}

// The rules that one run meets by itself.
void judge_alone(Placed& placed, const Keys& keys, const Choices& choices, const Terms& terms) {
  const Run& run = *placed.run;
  const auto refuse = [&](std::string_view key, const std::string& value, std::string_view problem) {
    invalidate(placed, fmt::format("{}: {}: {}: {}", run.source, key, value, problem));
  };
  if (!terms.may_judge(run)) {
    for (const results::Finding& finding : run.findings) {
      if (finding.weight == results::Weight::invalid) {
        refuse(finding.field, printable(finding.value), finding.problem);
      }
    }
  }
  judge_tokens(placed, keys, choices);
  if (!decodes_shuffled(placed.setup) || placed.cell->osl == 1) return;
  const std::string kernel = kernel_of(run, keys);
  placed.kernel_unknown = kernel.empty();
  if (!kernel.empty() && !terms.kernel_is_shuffled(kernel)) {
    refuse("decode kernel", printable(kernel),
           fmt::format("KERNEL_WRONG: setup {} is measured only where the shuffled (asm) kernel ran",
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
    const std::string problem = majority
                                    ? fmt::format("the other runs of the cell have {}", most->first)
                                    : std::string("the runs of the cell differ, and no value has a majority");
    invalidate(*placed, fmt::format("{}: {}: {}: {}", placed->run->source, key, value, problem));
  }
  std::erase_if(cell, [](const Placed* placed) { return placed->status != RunStatus::valid; });
}

void demand_consistency(std::vector<Placed>& all, const Choices& choices) {
  std::map<CellKey, std::vector<Placed*>> cells;
  for (Placed& placed : all) {
    if (placed.status == RunStatus::valid) cells[*placed.cell].push_back(&placed);
  }
  for (auto& [key, cell] : cells) {
    for (const std::string& same : choices.same) demand_same(cell, same);
  }
}

}  // namespace

std::span<const std::string> known_setups() {
  return kSetups;
}

std::string load_of(const CellKey& cell) {
  return fmt::format("{}{:g}", cell.load_kind, cell.load);
}

std::string to_string(const CellKey& cell) {
  return fmt::format("{} {} isl{} osl{} {} pd{}", cell.model, cell.workload, cell.isl, cell.osl,
                     load_of(cell), cell.pd);
}

std::string_view to_string(RunStatus status) {
  return status == RunStatus::valid ? "VALID" : status == RunStatus::invalid ? "INVALID" : "UNPLACED";
}

std::string value_of(const Run& run, const std::string& key) {
  const auto shown = [](const auto& value, std::string_view absent) {
    return value ? fmt::format("{:g}", static_cast<double>(*value)) : std::string(absent);
  };
  if (key == "model_id") return run.model_id.empty() ? "unknown" : printable(run.model_id);
  if (key == "request_rate") return shown(run.request_rate, "unknown");
  if (key == "burstiness") return shown(run.burstiness, "unknown");
  if (key == "max_concurrency") return shown(run.max_concurrency, "none");
  if (key == "num_prompts") return run.num_prompts ? fmt::format("{}", *run.num_prompts) : "unknown";
  const std::string tag = run.tag(key);
  return tag.empty() ? "unknown" : printable(tag);
}

std::vector<Placed> place(std::span<const Run> runs, const Keys& keys, const Choices& choices,
                          const Terms& terms) {
  std::vector<Placed> all;
  all.reserve(runs.size());
  for (const Run& run : runs) {
    Placed& placed = all.emplace_back(Placed{.run = &run});
    if (const auto problem = read_place(run, keys, placed)) {
      placed.status = RunStatus::unplaced;
      placed.reasons.push_back(*problem);
      placed.cell.reset();
      continue;
    }
    judge_alone(placed, keys, choices, terms);
  }
  demand_consistency(all, choices);
  return all;
}

}  // namespace pageproof::gonogo
