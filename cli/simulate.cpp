#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/json.hpp"
#include "cli/simulate_options.hpp"
#include "golden/container/atomic_file.hpp"
#include "golden/container/mapped_file.hpp"
#include "reports/simulated/result_file.hpp"
#include "reports/simulated/timeline.hpp"
#include "reports/simulated/words.hpp"

namespace pageproof::cli {
namespace {

namespace fs = std::filesystem;
using serving::Cell;

constexpr std::uint64_t kMostSimulatedSeeds = 10'000;
constexpr std::uint64_t kMostTraceBytes = std::uint64_t{512} << 20;

std::unexpected<Error> refuse(std::string option, std::string field, std::string value, std::string problem) {
  return std::unexpected(Error{std::move(option), std::move(field), std::move(value), std::move(problem)});
}

std::string_view text_of(const golden::MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

Expected<serving::Load> load_of(const SimulateOptions& o) {
  serving::Load load{.input_tokens = o.isl,
                     .output_tokens = o.osl,
                     .cached_share = o.cached,
                     .length_spread = o.length_spread,
                     .burstiness = o.burstiness,
                     .max_concurrency = o.concurrency};
  if (o.rate) load.request_rate = *o.rate;
  if (!o.rate && !o.concurrency && o.arrivals.empty()) load.max_concurrency = 48;
  load.requests = o.num_prompts;
  if (o.num_prompts == 0) load.requests = load.max_concurrency ? 10ULL * *load.max_concurrency : 500;
  if (o.arrivals.empty()) return load;
  const auto file = golden::MappedFile::open(o.arrivals);
  if (!file) return std::unexpected(file.error());
  const std::string_view text = text_of(*file);
  if (text.size() > kMostTraceBytes) {
    return refuse(o.arrivals, "size", fmt::format("{} B", text.size()),
                  fmt::format("more than {} B", kMostTraceBytes));
  }
  // A trace is an object a line, from the first on; a result is one object, which names its arrays.
  const bool result = text.find("\"start_times\"") != std::string::npos;
  if (result && o.hits) return refuse("--hits", "", "", "only a Mooncake trace tells which blocks repeat");
  auto requests = result ? serving::requests_from_result(text, o.arrivals)
                         : serving::requests_from_mooncake(text, o.arrivals, o.hits, o.num_prompts);
  if (!requests) return std::unexpected(requests.error());
  load.trace = *std::move(requests);
  if (o.num_prompts > 0 && load.trace.size() > o.num_prompts) load.trace.resize(o.num_prompts);
  return load;
}

Expected<serving::Deployment> deployment_of(const SimulateOptions& o) {
  const auto model = serving::model_preset(o.model);
  if (!model) return refuse("--model", "", o.model, model.error().problem);
  const auto device = serving::device_preset(o.device);
  if (!device) return refuse("--device", "", o.device, device.error().problem);
  serving::Deployment d{
      .model = *model,
      .device = *device,
      .tp = o.tp,
      .prefill_tp = o.prefill_tp,
      .prefill_servers = o.prefill,
      .decoders = o.decode,
      .prefill_flops_per_second = o.prefill_tflops * 1e12,
      .handover_seconds = o.handover_ms * 1e-3,
      .block_tokens = o.block_tokens,
      .max_num_seqs = o.max_num_seqs,
      .kv_capacity_tokens = o.kv_tokens,
      .capacity = o.kv_full == "refuse" ? serving::Capacity::refused : serving::Capacity::queued,
      .scheduler_steps = o.scheduler_steps};
  d.link = {.bytes_per_second = o.link_gb * 1e9,
            .read_seconds = o.read_us * 1e-6,
            .descriptor_seconds = o.descriptor_us * 1e-6,
            .use = o.link == "serial" ? serving::LinkUse::serial : serving::LinkUse::fair,
            .merged = o.run_blocks.has_value(),
            .run_blocks = o.run_blocks.value_or(1)};
  d.step.weight_bytes_per_second = o.weight_gb * 1e9;
  d.step.per_request_seconds = o.step_request_us * 1e-6;
  if (o.step_base_ms) d.step.base_seconds = *o.step_base_ms * 1e-3;
  if (const auto ok = serving::check(d); !ok) return std::unexpected(ok.error());
  return d;
}

// "c.traffic=6": of setup c; "all.traffic=6": of each.
Expected<std::vector<serving::Setup>> setups_of(const SimulateOptions& o) {
  std::vector<serving::Setup> setups;
  for (const std::string& name : o.setups) {
    const auto setup = serving::setup_preset(name);
    if (!setup) return refuse("--setups", "", name, setup.error().problem);
    const bool twice = std::ranges::find(setups, name, &serving::Setup::name) != setups.end();
    if (twice) return refuse("--setups", "", name, "stands twice");
    setups.push_back(*setup);
  }
  for (const std::string& one : o.set) {
    const std::size_t dot = one.find('.'), equals = one.find('=');
    if (dot == std::string::npos || equals == std::string::npos || dot > equals) {
      return refuse("--set", "", one, "not SETUP.FIELD=VALUE, as c.traffic=6");
    }
    const std::string name = one.substr(0, dot);
    const std::string field = one.substr(dot + 1, equals - dot - 1);
    bool any = false;
    for (serving::Setup& setup : setups) {
      if (name != "all" && name != setup.name) continue;
      any = true;
      const auto ok = serving::override_field(setup, field, one.substr(equals + 1), "--set " + setup.name);
      if (!ok) return std::unexpected(ok.error());
    }
    if (!any) return refuse("--set", "setup", name, "is not one of --setups, nor all");
  }
  return setups;
}

Expected<serving::Objectives> objectives_of(const SimulateOptions& o) {
  serving::Objectives objectives;
  for (const std::string& one : o.goodput) {
    const std::size_t colon = one.find(':');
    const std::string name = one.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : one.substr(colon + 1);
    std::optional<double>* place = name == "ttft"   ? &objectives.ttft_ms
                                   : name == "tpot" ? &objectives.tpot_ms
                                   : name == "e2el" ? &objectives.e2el_ms
                                                    : nullptr;
    if (place == nullptr) return refuse("--goodput", "metric", name, "not ttft, tpot or e2el");
    double ms = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), ms);
    const bool number = error == std::errc{} && end == value.data() + value.size() && ms > 0 && ms < 1e12;
    if (!number) return refuse("--goodput", name, value, "not a positive number of ms");
    *place = ms;
  }
  return objectives;
}

struct Prepared {
  std::vector<Cell> cells;  // one a setup, with its time in `times`
  std::vector<serving::StepTime> times;
};

Expected<Prepared> prepared(const SimulateOptions& o) {
  const auto deployment = deployment_of(o);
  if (!deployment) return std::unexpected(deployment.error());
  const auto setups = setups_of(o);
  if (!setups) return std::unexpected(setups.error());
  const auto objectives = objectives_of(o);
  if (!objectives) return std::unexpected(objectives.error());
  const auto load = load_of(o);
  if (!load) return std::unexpected(load.error());
  std::optional<serving::StepTable> table;
  if (!o.step_table.empty()) {
    const auto file = golden::MappedFile::open(o.step_table);
    if (!file) return std::unexpected(file.error());
    auto read = serving::step_table_from_csv(text_of(*file), o.step_table);
    if (!read) return std::unexpected(read.error());
    table = *std::move(read);
  }
  const auto outside = o.extrapolate ? serving::Outside::extrapolated : serving::Outside::refused;
  Prepared out;
  for (const serving::Setup& setup : *setups) {
    auto time = table ? serving::StepTime::measured(*table, setup.name, outside, deployment->max_num_seqs)
                      : serving::parametric_step_time(*deployment, setup);
    if (!time) return std::unexpected(time.error());
    out.times.push_back(*std::move(time));
    out.cells.push_back({*deployment, setup, *load, *objectives});
  }
  for (std::size_t i = 0; i < out.cells.size(); ++i) out.cells[i].time = &out.times[i];
  return out;
}

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
    fs::create_directories(path, error);
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
Result measure(const Prepared& prepared, const serving::SimulationOptions& options) {
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
  const auto ready = prepared(o);
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
  report.json = one_document({{"command", "simulate"},
                              {"model", ready->cells.front().deployment.model.name},
                              {"device", ready->cells.front().deployment.device.name},
                              {"tp", o.tp},
                              {"pd", simulated::ratio_of(ready->cells.front().deployment)},
                              {"setups", simulated::to_json(setups)}});
  return report;
}

}  // namespace pageproof::cli
