#include "reports/gonogo/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "reports/gonogo/consistency.hpp"

namespace pageproof::gonogo {
namespace {

using results::Run;

const std::array<std::string, 7> kSetups = {"a1", "a2", "b", "c", "d", "e0", "e"};

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
  return to_string(
      Error{run.source, std::string(key), value.empty() ? "absent" : value, std::string(problem)});
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

}  // namespace

std::span<const std::string> known_setups() {
  return kSetups;
}

std::optional<double> number_tag(const Run& run, std::string_view tag) {
  const auto value = number_of<double>(run.tag(tag));
  return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

std::optional<double> stated_prefill_throughput(const Run& run) {
  const auto own = run.metric("prefill_throughput");
  return own ? own : number_tag(run, "prefill_throughput");
}

std::string load_of(const CellKey& cell) {
  return fmt::format("{}{:g}", cell.load_kind, cell.load);
}

std::string to_string(const CellKey& cell) {
  return fmt::format("{} {} isl{} osl{} {} pd{}", printable(cell.model), printable(cell.workload), cell.isl,
                     cell.osl, load_of(cell), printable(cell.pd));
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
  judge_together(all, choices, terms);
  return all;
}

}  // namespace pageproof::gonogo
