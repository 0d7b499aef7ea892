#include "cli/simulate_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "golden/container/mapped_file.hpp"

namespace pageproof::cli {
namespace {

constexpr std::uint64_t kMostTraceBytes = std::uint64_t{512} << 20;

using serving::refuse;

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

}  // namespace

Expected<PreparedSimulation> prepare_simulation(const SimulateOptions& o) {
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
  PreparedSimulation out;
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

}  // namespace pageproof::cli
