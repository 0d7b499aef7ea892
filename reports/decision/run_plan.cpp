#include "reports/decision/run_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/serving/cost.hpp"
#include "model/serving/runs.hpp"
#include "reports/decision/plan_judge.hpp"

namespace pageproof::decision {
namespace {

constexpr double kMostPrefillLoad = 0.9;  // of the prefill servers' time: above, queues decide
constexpr double kReached = 0.9;          // of the planned batch
constexpr int kAdjustments = 5;           // of the client's concurrency

const serving::ModelShape& shape_of(const std::string& key) {
  return *std::ranges::find(serving::model_presets(), key, &serving::ModelShape::key);
}

// Seconds of a step of a1 at the planned batch, and of the slowest setup's prefill.
struct Pace {
  double step = 0;
  double prefill = 0;
};

Expected<Pace> pace_of(const PlanOptions& o, const PlanPoint& point) {
  const serving::Deployment deployment = deployment_of(o, point, o.tp);
  const auto time = serving::parametric_step_time(deployment, setup_of(o, "a1"));
  if (!time) return std::unexpected(time.error());
  Pace pace{.step = time->seconds(point.batch, point.batch * (point.context + point.output / 2.0))};
  const double cached = point.workload == "hit" ? o.cached_share * point.context : 0;
  for (const char* setup : kPlannedSetups) {
    pace.prefill = std::max(pace.prefill,
                            serving::prefill_seconds(deployment, setup_of(o, setup), point.context, cached));
  }
  return pace;
}

// The client's limit at which a1 decodes the planned batch, by trying.
Expected<std::uint32_t> concurrency_for(const PlanOptions& o, const PointForecast& forecast,
                                        const Pace& pace) {
  const PlanPoint& point = forecast.point;
  const serving::Deployment deployment = deployment_of(o, point, forecast.prefill_gpus);
  const serving::Setup setup = setup_of(o, "a1");
  const double rate = point.batch / (point.output * pace.step);
  double wanted = point.batch + rate * pace.prefill;
  for (int i = 0; i < kAdjustments; ++i) {
    const auto concurrency = static_cast<std::uint32_t>(std::lround(std::clamp(wanted, 1.0, 2048.0)));
    const auto run = serving::simulate(deployment, setup, load_of(o, point, concurrency),
                                       {.noise = {.prefill = o.assume.prefill_cv}});
    if (!run) return std::unexpected(run.error());
    const double batch = serving::summarize(*run, {}, deployment.prefill_servers).batch_mean;
    if (std::abs(batch - point.batch) < 0.01 * point.batch) break;
    wanted = std::min(4.0 * point.batch, wanted + (point.batch - batch));
  }
  return static_cast<std::uint32_t>(std::lround(wanted));
}

double median_over(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(half));
  return values[half];
}

PlannedSetup medians_of(const std::vector<RunMetrics>& runs) {
  const auto over = [&](double RunMetrics::* field) {
    std::vector<double> values;
    for (const RunMetrics& run : runs) values.push_back(run.*field);
    return median_over(std::move(values));
  };
  return {.tpot_ms = over(&RunMetrics::tpot_ms),
          .ttft_ms = over(&RunMetrics::ttft_ms),
          .output_per_s = over(&RunMetrics::output_per_s),
          .prefill_per_s = over(&RunMetrics::prefill_per_s),
          .batch = over(&RunMetrics::batch),
          .run_seconds = over(&RunMetrics::seconds)};
}

// Judges a point whose five setups were simulated.
void conclude_point(const PlanOptions& o, PointForecast& point, const SetupRuns& runs) {
  for (const auto& of_setup : runs) point.setups.push_back(medians_of(of_setup));
  point.reason = shortfall(point);
  if (!point.reason.empty()) {
    point.state = PointState::unreachable;
    return;
  }
  point.rules = judge_point(
      runs,
      {.repeats = o.repeats, .trials = o.trials, .seed = 1, .added_cv = o.added_noise ? o.assume.run_cv : 0});
  point.state = state_by_rules(o, point);
}

}  // namespace

Expected<void> check_plan(const PlanOptions& o) {
  struct Bound {
    const char* option;
    double value, least, most;
    const char* unit;
  };
  const Assumptions& a = o.assume;
  const Bound bounds[] = {
      {"--kernel-gain", a.kernel_gain, 0, 0.9, "a share"},
      {"--unified-gain", a.gain_over_unified, 0, 0.9, "a share"},
      {"--kappa", a.traffic, 0, 1000, "bytes a byte"},
      {"--bandwidth", a.convert_bytes_per_second / 1e12, 0.001, 1000, "TB/s"},
      {"--launch-floor", a.launch_floor_seconds * 1e3, 0, 1e4, "ms"},
      {"--descriptor-us", a.descriptor_seconds * 1e6, 0, 1e4, "µs"},
      {"--link", a.link_bytes_per_second / 1e9, 0.001, 1e6, "GB/s"},
      {"--prefill-tflops", a.prefill_flops_per_second / 1e12, 0.1, 1e6, "TFLOP/s"},
      {"--unified-prefill", a.unified_prefill, 0.1, 10, "times FA's"},
      {"--cv", a.run_cv, 0, 1, "a share"},
      {"--prefill-cv", 100 * a.prefill_cv, 0, 100, "%"},
      {"--cached", o.cached_share, 0, 0.99, "a share"},
      {"--prefill-gpus", static_cast<double>(o.prefill_gpus), 1, 1024, "GPUs"},
      {"--prompts", static_cast<double>(o.prompts), 1, 1000, "prompts"},
      {"--overhead", o.run_overhead_s, 0, 1e6, "s"},
      {"--repeats", static_cast<double>(o.repeats), 2, 15, "runs"},
      {"--seeds", static_cast<double>(o.seeds), 1, 10'000, "seeds"},
      {"--trials", static_cast<double>(o.trials), 1, 100'000, "trials"},
      {"--certainty", o.certainty, 0.5, 1, "a share"},
  };
  for (const Bound& bound : bounds) {
    if (bound.value >= bound.least && bound.value <= bound.most) continue;
    return std::unexpected(Error{bound.option, "", fmt::format("{:g}", bound.value),
                                 fmt::format("not {:g} to {:g}, {}", bound.least, bound.most, bound.unit)});
  }
  if (a.unshuffled_regions != 1 && a.unshuffled_regions != 2) {
    return std::unexpected(Error{"--unshuffled-descriptors", "",
                                 fmt::format("{:g} a page", a.unshuffled_regions),
                                 "not whole (1) or slots (2)"});
  }
  if (o.seeds < 2 * std::uint64_t{o.repeats} && !o.added_noise) {
    return std::unexpected(
        Error{"--seeds", "", fmt::format("{}", o.seeds),
              fmt::format("fewer than {}, twice the repeats: setups that are compared share "
                          "no seed",
                          2 * o.repeats)});
  }
  if (o.tp == 0 || 4 % o.tp != 0) {
    return std::unexpected(Error{"--tp", "", fmt::format("{}", o.tp), "not 1, 2 or 4"});
  }
  if (o.shards == 0 || o.shard == 0 || o.shard > o.shards) {
    return std::unexpected(Error{"--shard", "", fmt::format("{}/{}", o.shard, o.shards), "not 1/n to n/n"});
  }
  return {};
}

std::string PlanPoint::name() const {
  return fmt::format("{} {} {}x{} osl {}", model, workload, batch, context, output);
}

std::vector<PlanPoint> rfc_points() {
  std::vector<PlanPoint> points;
  for (const char* model : {"qwen3-8b", "qwen3-30b-a3b"}) {
    for (const char* workload : {"cold", "hit"}) {
      for (const std::uint32_t output : {128, 512, 1024}) {
        for (const std::uint32_t context : {4096, 8192, 16384, 32768}) {
          for (const std::uint32_t batch : {48, 64, 128})
            points.push_back({model, workload, batch, context, output});
        }
      }
    }
  }
  return points;
}

std::string_view to_string(PointState state) {
  constexpr std::string_view kNames[] = {"infeasible", "unreachable", "undecidable", "decisive"};
  return kNames[static_cast<std::size_t>(state)];
}

serving::Deployment deployment_of(const PlanOptions& options, const PlanPoint& point,
                                  std::uint32_t prefill_gpus) {
  serving::Deployment deployment{.model = shape_of(point.model), .device = *serving::device_preset("mi300x")};
  deployment.tp = options.tp;
  deployment.prefill_servers = std::max(1u, prefill_gpus / options.tp);
  deployment.prefill_flops_per_second = options.assume.prefill_flops_per_second;
  deployment.link.bytes_per_second = options.assume.link_bytes_per_second;
  deployment.link.descriptor_seconds = options.assume.descriptor_seconds;
  return deployment;
}

serving::Setup setup_of(const PlanOptions& options, std::string_view name) {
  const Assumptions& a = options.assume;
  serving::Setup setup = *serving::setup_preset(name);
  const double fa = serving::ll4mi_kernel().bytes_per_second;
  const double shuffled = fa / (1 - a.kernel_gain);
  // Below the asm threshold nobody has a known gain: every kernel reads as FA's.
  if (name == "a2") setup.kernel.asm_bytes_per_second = shuffled * (1 - a.gain_over_unified);
  if (name == "a2" || name == "d") setup.prefill_factor = setup.extension_factor = a.unified_prefill;
  if ((name == "a1" || name == "a2") && a.unshuffled_regions == 2)
    setup.descriptors = serving::Descriptors::slots;
  if (name != "a1" && name != "a2") setup.kernel.asm_bytes_per_second = shuffled;
  if (name == "b") setup.extension_factor = a.shuffled_extension;
  if (setup.converter.where != serving::Conversion::none) {
    setup.converter.traffic = a.traffic;
    setup.converter.bytes_per_second = a.convert_bytes_per_second;
    setup.converter.launches_a_layer = 1;
    setup.converter.launch_seconds = a.launch_floor_seconds / 36;
  }
  return setup;
}

serving::Load load_of(const PlanOptions& o, const PlanPoint& point, std::uint32_t concurrency) {
  return {.requests = std::uint64_t{o.prompts} * concurrency,
          .input_tokens = point.context,
          .output_tokens = point.output,
          .cached_share = point.workload == "hit" ? o.cached_share : 0,
          .max_concurrency = concurrency};
}

std::string shortfall(const PointForecast& point) {
  const auto least = std::ranges::min_element(point.setups, {}, &PlannedSetup::batch);
  if (least == point.setups.end() || least->batch >= kReached * point.point.batch) return "";
  return fmt::format("simulated with {} prefill GPUs, a setup decodes {:.0f} requests, not {}",
                     point.prefill_gpus, least->batch, point.point.batch);
}

PointState state_by_rules(const PlanOptions& options, const PointForecast& point) {
  const bool decisive = std::ranges::any_of(
      point.rules, [&](const RuleForecast& rule) { return rule.decisive(options.certainty); });
  return decisive ? PointState::decisive : PointState::undecidable;
}

Expected<PointForecast> placed(const PlanOptions& o, const PlanPoint& point) {
  PointForecast out{.point = point, .reason = {}, .setups = {}, .rules = {}};
  const serving::ModelShape& model = shape_of(point.model);
  const auto capacity = serving::capacity_for(model, *serving::device_preset("mi300x"), o.tp, {}, point.batch,
                                              point.context + point.output);
  out.capacity_share = capacity.share();
  const auto pace = pace_of(o, point);
  if (!pace) return std::unexpected(pace.error());
  const double servers = serving::prefill_gpus_needed(point.batch, point.output, pace->step, pace->prefill);
  out.prefill_gpus = o.tp * static_cast<std::uint32_t>(std::ceil(servers / kMostPrefillLoad));
  if (!capacity.fits(serving::kCapacityMargin)) {
    out.reason = fmt::format("KV of {} requests of {} tokens is {:.0f} % of what TP {} holds", point.batch,
                             point.context + point.output, 100 * capacity.share(), o.tp);
    return out;
  }
  out.state = PointState::unreachable;
  if (out.prefill_gpus > o.prefill_gpus) {
    out.reason = fmt::format("{} prefill GPUs a decoder hold the batch; there are {}", out.prefill_gpus,
                             o.prefill_gpus);
    return out;
  }
  out.state = PointState::undecidable;
  return out;
}

Expected<PointForecast> outset(const PlanOptions& o, const PlanPoint& point) {
  auto out = placed(o, point);
  if (!out || out->state != PointState::undecidable) return out;
  const auto pace = pace_of(o, point);
  if (!pace) return std::unexpected(pace.error());
  const auto concurrency = concurrency_for(o, *out, *pace);
  if (!concurrency) return std::unexpected(concurrency.error());
  out->concurrency = *concurrency;
  return out;
}

double gpu_hours(const PlanOptions& options, const PointForecast& point, std::size_t setup) {
  const double gpus = options.tp + point.prefill_gpus;
  return gpus * (point.setups[setup].run_seconds + options.run_overhead_s) / 3600;
}

Expected<PlanForecast> plan_runs(const PlanOptions& options, const std::vector<PlanPoint>& points) {
  if (const auto ok = check_plan(options); !ok) return std::unexpected(ok.error());
  PlanForecast plan{.options = options, .points = {}};
  for (std::size_t i = options.shard - 1; i < points.size(); i += options.shards) {
    auto forecast = outset(options, points[i]);
    if (!forecast) return std::unexpected(forecast.error());
    plan.points.push_back(std::move(*forecast));
  }
  std::vector<serving::Cell> cells;
  for (const PointForecast& forecast : plan.points) {
    if (forecast.concurrency == 0) continue;
    for (const char* setup : kPlannedSetups) {
      cells.push_back({.deployment = deployment_of(options, forecast.point, forecast.prefill_gpus),
                       .setup = setup_of(options, setup),
                       .load = load_of(options, forecast.point, forecast.concurrency)});
    }
  }
  if (cells.empty()) return plan;
  const auto runs =
      serving::run_cells(cells, {.seeds = options.seeds,
                                 .noise = {.run = options.added_noise ? 0 : options.assume.run_cv,
                                           .prefill = options.assume.prefill_cv},
                                 .threads = options.threads,
                                 .progress = options.progress});
  if (!runs) return std::unexpected(runs.error());
  std::size_t cell = 0, at = 0;
  for (PointForecast& forecast : plan.points) {
    if (forecast.concurrency == 0) continue;
    SetupRuns of_point;
    for (std::size_t setup = 0; setup < kSetups; ++setup, ++cell) {
      for (; at < runs->size() && (*runs)[at].cell == cell; ++at) {
        if ((*runs)[at].error) return std::unexpected(*(*runs)[at].error);
        of_point[setup].push_back(metrics_of(*(*runs)[at].summary));
      }
      if (of_point[setup].size() != options.seeds) {
        return std::unexpected(Error{"plan-runs", "", "", "stopped before it was done"});
      }
    }
    conclude_point(options, forecast, of_point);
  }
  return plan;
}

}  // namespace pageproof::decision
