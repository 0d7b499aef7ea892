#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/json.hpp"
#include "cli/simulate_inputs.hpp"
#include "golden/container/atomic_file.hpp"
#include "reports/simulated/result_file.hpp"
#include "reports/simulated/timeline.hpp"
#include "reports/simulated/words.hpp"

namespace pageproof::cli {
namespace {

namespace fs = std::filesystem;
using serving::Cell;

constexpr std::uint64_t kMostSimulatedSeeds = 10'000;

using serving::refuse;

std::string file_name(const SimulateOptions& o, const Cell& cell, std::uint64_t seed) {
  std::string load = cell.load.trace.empty() ? fmt::format("isl{}-osl{}", o.isl, o.osl) : "trace";
  if (cell.load.max_concurrency) load += fmt::format("-concurrency{}", *cell.load.max_concurrency);
  if (o.rate) load += fmt::format("-{:g}qps", *o.rate);
  return fmt::format("{}-{}-{}-seed{}", cell.setup.name, o.model, load, seed);
}

// The clock on which simulated runs end, one after another.
std::string date_of(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  return fmt::format("2000{:02}{:02}-{:02}{:02}{:02}", 1 + whole / (28 * 86400) % 12, 1 + whole / 86400 % 28,
                     whole / 3600 % 24, whole / 60 % 60, whole % 60);
}

Expected<void> check_folder(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    // The folder itself is made, its parents are not: as for every other output.
    fs::create_directory(path, error);
    if (error) return refuse("--out", "", path, error.message());
    return {};
  }
  if (!fs::is_directory(path, error)) return refuse("--out", "", path, "not a folder");
  if (!fs::is_empty(path, error))
    return refuse("--out", "", path, "not empty: old results would be judged with new");
  return {};
}

Expected<void> write_run(const SimulateOptions& o, const serving::Simulation& run,
                         const serving::Summary& summary, const simulated::RunFacts& facts) {
  const std::string name = file_name(o, facts.cell, facts.seed);
  const fs::path folder = o.out;
  const std::string json = simulated::result_json(run, summary, facts, !o.no_detailed);
  if (const auto ok = golden::write_file_atomically(folder / (name + ".json"), json); !ok) return ok;
  return golden::write_file_atomically(folder / (name + ".split.json"),
                                       simulated::sidecar_json(run, summary, facts, name + ".json"));
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// How many decode steps a second one core simulates: runs of the first setup, without kept steps, by the time
// that this thread had a processor.
Result measure(const PreparedSimulation& prepared, const serving::SimulationOptions& options) {
  const Cell& cell = prepared.cells.front();
  serving::SimulationOptions one = options;
  one.keep_steps = false;
  std::uint64_t steps = 0, tokens = 0, requests = 0, runs = 0;
  double simulated = 0, seconds = 0;
  const double start = processor_seconds();
  while (seconds < 2) {
    const auto run = serving::simulate(cell.deployment, cell.setup, *cell.time, cell.load, one);
    if (!run) return std::unexpected(run.error());
    steps += run->steps;
    tokens += run->tokens;
    requests += run->requests.size();
    simulated += run->duration;
    ++runs;
    ++one.seed;
    seconds = processor_seconds() - start;
  }
  Report report;
  report.text = fmt::format(
      "setup {}: {} runs in {:.2f} s of one core\n{:>10.2f} M decode steps/s\n{:>10.2f} M "
      "requests/s\n{:>10.0f} M "
      "tokens/s\n{:>10.0f} times as fast as the clock\n",
      cell.setup.name, runs, seconds, static_cast<double>(steps) / seconds / 1e6,
      static_cast<double>(requests) / seconds / 1e6, static_cast<double>(tokens) / seconds / 1e6,
      simulated / seconds);
  report.json = one_document({{"command", "simulate --measure"},
                              {"setup", cell.setup.name},
                              {"runs", runs},
                              {"seconds", seconds},
                              {"steps_per_s", static_cast<double>(steps) / seconds},
                              {"requests_per_s", static_cast<double>(requests) / seconds},
                              {"tokens_per_s", static_cast<double>(tokens) / seconds}});
  return report;
}

// As gonogo names it: c48, requests at once; r6, requests a second; trace.
std::string load_name(const serving::Load& load) {
  if (load.max_concurrency) return fmt::format("c{}", *load.max_concurrency);
  return load.trace.empty() ? fmt::format("r{:g}", load.request_rate) : "trace";
}

std::string heading(const SimulateOptions& o, const Cell& cell) {
  const auto& load = cell.load;
  std::string text = fmt::format("{}, {}, decoder at TP {}, P:D {}; ", cell.deployment.model.name,
                                 cell.deployment.device.name, o.tp, simulated::ratio_of(cell.deployment));
  if (load.trace.empty()) {
    text += fmt::format("{} requests of {} + {} tokens, ", load.requests, o.isl, o.osl);
  } else {
    text += fmt::format("{} requests of {}, ", load.trace.size(), o.arrivals);
  }
  if (o.rate) text += fmt::format("{:g} requests/s, ", *o.rate);
  if (load.max_concurrency) text += fmt::format("concurrency {}, ", *load.max_concurrency);
  return text + fmt::format("seeds {} to {}\n", o.seed, o.seed + o.seeds - 1) +
         "simulated; the middle of the seeds\n\n";
}

}  // namespace

Result simulate(const SimulateOptions& o) {
  if (o.seeds == 0 || o.seeds > kMostSimulatedSeeds) {
    return refuse("--seeds", "", std::to_string(o.seeds), fmt::format("not 1 to {}", kMostSimulatedSeeds));
  }
  if (o.seed > UINT64_MAX - o.seeds) {
    return refuse("--seed", "", std::to_string(o.seed), fmt::format("with {} seeds, beyond 2^64", o.seeds));
  }
  const auto ready = prepare_simulation(o);
  if (!ready) return std::unexpected(ready.error());
  serving::SimulationOptions options{.seed = o.seed,
                                     .noise = {o.run_cv / 100, o.step_cv / 100, o.prefill_cv / 100}};
  if (o.measure) return measure(*ready, options);
  if (!o.out.empty()) {
    if (const auto ok = check_folder(o.out); !ok) return std::unexpected(ok.error());
  }
  std::vector<simulated::SetupRuns> setups;
  for (const Cell& cell : ready->cells) setups.push_back({cell, "", {}, {}});
  double clock = 0;
  // Seed by seed, as runs should be interleaved: what drifts then meets all setups alike.
  for (std::uint64_t i = 0; i < o.seeds; ++i) {
    for (std::size_t s = 0; s < setups.size(); ++s) {
      const Cell& cell = ready->cells[s];
      const bool last_setup = s + 1 == setups.size();
      const bool traced = !o.trace.empty() && i == 0 && last_setup;
      options.seed = o.seed + i;
      options.keep_steps = traced || (!o.out.empty() && !o.no_detailed);
      const auto run = serving::simulate(cell.deployment, cell.setup, *cell.time, cell.load, options);
      if (!run) return std::unexpected(run.error());
      if (!o.out.empty() && !o.no_detailed && run->tokens > simulated::kMostDetailedTokens) {
        return refuse("--out", "tokens of a run", std::to_string(run->tokens),
                      fmt::format("more than {}: --no-detailed writes files without arrays",
                                  simulated::kMostDetailedTokens));
      }
      const serving::Summary summary = serving::summarize(*run, cell.objectives, o.prefill);
      clock += summary.duration_s;
      setups[s].kernel = simulated::kernel_that_ran(cell, *run);
      setups[s].seeds.push_back(options.seed);
      setups[s].runs.push_back(summary);
      if (!o.out.empty()) {
        const simulated::RunFacts facts{.cell = cell,
                                        .seed = options.seed,
                                        .date = date_of(clock),
                                        .simulated = "pageproof " PAGEPROOF_VERSION};
        if (const auto ok = write_run(o, *run, summary, facts); !ok) return std::unexpected(ok.error());
      }
      if (traced) {
        const auto ok =
            golden::write_file_atomically(o.trace, simulated::chrome_trace(*run, cell, o.trace_events));
        if (!ok) return std::unexpected(ok.error());
      }
    }
  }
  Report report;
  report.text = heading(o, ready->cells.front()) + simulated::table(setups);
  if (!o.out.empty()) {
    report.text +=
        fmt::format("\n{} results in {}; pageproof gonogo {}\n", o.seeds * setups.size(), o.out, o.out);
  }
  using Json = nlohmann::ordered_json;
  const bool traced = !ready->cells.front().load.trace.empty();
  report.json = one_document({{"command", "simulate"},
                              {"model", ready->cells.front().deployment.model.name},
                              {"device", ready->cells.front().deployment.device.name},
                              {"tp", o.tp},
                              {"pd", simulated::ratio_of(ready->cells.front().deployment)},
                              {"isl", traced ? Json(nullptr) : Json(o.isl)},
                              {"osl", traced ? Json(nullptr) : Json(o.osl)},
                              {"load", load_name(ready->cells.front().load)},
                              {"setups", simulated::to_json(setups)}});
  return report;
}

}  // namespace pageproof::cli
