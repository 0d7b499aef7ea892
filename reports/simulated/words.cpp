#include "reports/simulated/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

namespace pageproof::simulated {
namespace {

using nlohmann::ordered_json;
using serving::Summary;

constexpr double kFarFromIndependent = 0.25;

// The middle repeat of a value; of an even number, the mean of the middle two.
double middle(const SetupRuns& setup, const std::function<double(const Summary&)>& value) {
  std::vector<double> values;
  for (const Summary& run : setup.runs) values.push_back(value(run));
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

ordered_json json_of(const serving::Spread& spread) {
  return {{"mean", spread.mean}, {"median", spread.median}, {"std", spread.deviation},
          {"p90", spread.p90},   {"p99", spread.p99},       {"p99.9", spread.p999}};
}

ordered_json json_of(const serving::Gaps& gaps) {
  return {{"count", gaps.count}, {"mean_ms", gaps.mean_ms}, {"p50_ms", gaps.p50_ms}, {"p99_ms", gaps.p99_ms}};
}

ordered_json json_of(const Summary& run, std::uint64_t seed) {
  ordered_json parts;
  for (std::size_t i = 0; i < serving::kParts; ++i) {
    parts[std::string(to_string(static_cast<serving::Part>(i)))] = json_of(run.parts_ms[i]);
  }
  return {{"seed", seed},
          {"requests", run.requests},
          {"duration_s", run.duration_s},
          {"ttft_ms", json_of(run.ttft_ms)},
          {"tpot_ms", json_of(run.tpot_ms)},
          {"itl_ms", json_of(run.itl_ms)},
          {"e2el_ms", json_of(run.e2el_ms)},
          {"ttft_parts_ms", parts},
          {"post_ms", run.post_ms},
          {"client_queue_ms", run.client_queue_ms},
          {"output_tokens_per_s", run.output_per_s()},
          {"requests_per_s", run.requests_per_s()},
          {"good_requests_per_s", run.good_per_s},
          {"batch_mean", run.batch_mean},
          {"batch_p10", run.batch_p10},
          {"batch_steady", run.batch_steady},
          {"clean_gaps", json_of(run.clean)},
          {"interfered_gaps", json_of(run.interfered)},
          {"steps", run.steps},
          {"share_of_steps_with_first_token", run.joins_a_step},
          {"share_of_steps_with_conversion", run.conversions_a_step},
          {"prefill_tokens_per_busy_s", run.prefill_tokens_per_s},
          {"prefill_busy_share", run.prefill_busy},
          {"capacity_waits", run.capacity_waits},
          {"preemption_risks", run.preemption_risks},
          {"most_kv_tokens", run.most_kv_tokens}};
}

// Prefill servers that keep `batch` requests decoding: B / (N·T) requests a second, each a prefill. Nothing
// where the step time has no answer for that batch.
std::optional<double> servers_for(const serving::Cell& cell, std::uint32_t batch) {
  const serving::Load& load = cell.load;
  if (cell.time == nullptr || !load.trace.empty() || batch > cell.time->most_batch()) return std::nullopt;
  const double step = cell.time->seconds(batch, batch * (load.input_tokens + load.output_tokens / 2.0));
  if (!(step > 0)) return std::nullopt;
  const double cached = load.input_tokens * load.cached_share;
  return batch / (load.output_tokens * step) *
         serving::prefill_seconds(cell.deployment, cell.setup, load.input_tokens, cached);
}

std::string notes(const SetupRuns& setup) {
  std::string text;
  const auto& load = setup.cell.load;
  const double batch = middle(setup, [](const Summary& run) { return run.batch_mean; });
  const double busy = middle(setup, [](const Summary& run) { return run.prefill_busy; });
  if (load.max_concurrency && batch < 0.9 * *load.max_concurrency) {
    text += fmt::format(
        "{}: {:.1f} requests decode at once, not {}; the prefill servers are busy {:.0f} % of the time",
        setup.cell.setup.name, batch, *load.max_concurrency, 100 * busy);
    const auto servers = servers_for(setup.cell, *load.max_concurrency);
    if (servers) text += fmt::format("; {} take {:.1f} of them", *load.max_concurrency, *servers);
    text += '\n';
  }
  const double joins = middle(setup, [](const Summary& run) {
    return static_cast<double>(run.requests) / static_cast<double>(std::max<std::uint64_t>(1, run.steps));
  });
  const double joined = middle(setup, [](const Summary& run) { return run.joins_a_step; });
  const double alone = 1 - std::exp(-joins);
  if (joined < (1 - kFarFromIndependent) * alone || joined > (1 + kFarFromIndependent) * alone) {
    text += fmt::format(
        "{}: {:.1f} % of steps have a first token; independent joins would make it {:.1f} %, so that what "
        "converting costs is not (B/N)·c here: equal requests move together\n",
        setup.cell.setup.name, 100 * joined, 100 * alone);
  }
  const auto waits =
      middle(setup, [](const Summary& run) { return static_cast<double>(run.capacity_waits); });
  const auto risks =
      middle(setup, [](const Summary& run) { return static_cast<double>(run.preemption_risks); });
  if (waits > 0) {
    text += fmt::format(
        "{}: {:.0f} requests waited for KV; {:.0f} of them vLLM would have let in, at the risk of a "
        "preemption\n",
        setup.cell.setup.name, waits, risks);
  }
  return text;
}

}  // namespace

std::string table(std::span<const SetupRuns> setups) {
  std::string text =
      fmt::format("{:<6}{:<9}{:>6}{:>5}{:>10}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}{:>9}{:>11}\n", "", "", "batch",
                  "", "TTFT", "TPOT", "ITL", "ITL", "ITL", "ITL", "output", "clean", "interfered");
  text += fmt::format("{:<6}{:<9}{:>6}{:>5}{:>10}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}{:>9}{:>11}\n", "setup",
                      "kernel", "mean", "p10", "median ms", "mean ms", "p50 ms", "p90 ms", "p99 ms",
                      "p99.9 ms", "tokens/s", "gap ms", "gap ms");
  for (const SetupRuns& one : setups) {
    const auto at = [&](auto value) { return middle(one, value); };
    text += fmt::format(
        "{:<6}{:<9}{:>6.1f}{:>5.0f}{:>10.1f}{:>9.3f}{:>9.3f}{:>9.3f}{:>9.3f}{:>9.3f}{:>10.1f}{:>9.3f}{:>11."
        "3f}\n",
        one.cell.setup.name, one.kernel, at([](const Summary& s) { return s.batch_mean; }),
        at([](const Summary& s) { return s.batch_p10; }),
        at([](const Summary& s) { return s.ttft_ms.median; }),
        at([](const Summary& s) { return s.tpot_ms.mean; }),
        at([](const Summary& s) { return s.itl_ms.median; }),
        at([](const Summary& s) { return s.itl_ms.p90; }), at([](const Summary& s) { return s.itl_ms.p99; }),
        at([](const Summary& s) { return s.itl_ms.p999; }),
        at([](const Summary& s) { return s.output_per_s(); }),
        at([](const Summary& s) { return s.clean.mean_ms; }),
        at([](const Summary& s) { return s.interfered.mean_ms; }));
  }
  text += "\nTTFT, mean ms\n" + fmt::format("{:<6}", "setup");
  for (std::size_t i = 0; i < serving::kParts; ++i) {
    text += fmt::format("{:>14}", to_string(static_cast<serving::Part>(i)));
  }
  text += '\n';
  for (const SetupRuns& one : setups) {
    text += fmt::format("{:<6}", one.cell.setup.name);
    for (std::size_t i = 0; i < serving::kParts; ++i) {
      text += fmt::format("{:>14.2f}", middle(one, [i](const Summary& s) { return s.parts_ms[i].mean; }));
    }
    text += '\n';
  }
  if (std::ranges::any_of(setups, [](const SetupRuns& one) { return one.cell.objectives.any(); })) {
    text += "\ngoodput, requests/s\n";
    for (const SetupRuns& one : setups) {
      text += fmt::format("{:<6}{:.3f} of {:.3f}\n", one.cell.setup.name,
                          middle(one, [](const Summary& s) { return s.good_per_s; }),
                          middle(one, [](const Summary& s) { return s.requests_per_s(); }));
    }
  }
  std::string lines;
  for (const SetupRuns& one : setups) lines += notes(one);
  return lines.empty() ? text : text + "\n" + lines;
}

ordered_json to_json(std::span<const SetupRuns> setups) {
  ordered_json all = ordered_json::array();
  for (const SetupRuns& one : setups) {
    ordered_json runs = ordered_json::array();
    for (std::size_t i = 0; i < one.runs.size(); ++i) runs.push_back(json_of(one.runs[i], one.seeds[i]));
    const serving::Converter& converter = one.cell.setup.converter;
    all.push_back({{"setup", one.cell.setup.name},
                   {"prefill_backend", one.cell.setup.prefill_backend},
                   {"decode_backend", one.cell.setup.decode_backend},
                   {"kernel", one.kernel},
                   {"descriptors", to_string(one.cell.setup.descriptors)},
                   {"convert", to_string(converter.where)},
                   {"traffic", converter.where == serving::Conversion::none ? 0 : converter.traffic},
                   {"runs", runs}});
  }
  return all;
}

}  // namespace pageproof::simulated
