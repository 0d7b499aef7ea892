#include "reports/decision/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/serving/cost.hpp"
#include "model/serving/summary.hpp"
#include "reports/decision/rfc_figures.hpp"
#include "reports/decision/run_plan.hpp"

namespace pageproof::decision {
namespace {

using serving::Conversion;
using serving::Setup;
using serving::Summary;

double five_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

struct PredictionMaker {
  PlanOptions options = [] {
    PlanOptions o;
    o.prefill_gpus = 1024;  // as many as the batch needs
    return o;
  }();
  std::vector<Prediction> all = {};
  std::optional<Error> failed = std::nullopt;

  PredictionMaker() { options.assume.run_cv = 0; }

  Prediction& add(const char* id, const char* claim, const char* runs) {
    all.push_back({.id = id, .claim = claim, .figures = {}, .runs = runs, .falsified_where = {}});
    return all.back();
  }

  static void figure(Prediction& to, std::string name, double value, const char* unit) {
    to.figures.push_back({std::move(name), five_digits(value), unit});
  }
  static void wrong(Prediction& of, std::string metric, const char* relation, double value,
                    const char* unit) {
    of.falsified_where.push_back({std::move(metric), relation, five_digits(value), unit});
  }

  // A point, simulated without noise; the first failure is kept.
  Summary run(const PlanPoint& point, const Setup& setup, std::uint32_t prefill_gpus,
              std::uint32_t concurrency) {
    const serving::Deployment deployment = deployment_of(options, point, prefill_gpus);
    const auto simulated = serving::simulate(deployment, setup, load_of(options, point, concurrency), {});
    if (!simulated) {
      if (!failed) failed = simulated.error();
      return {};
    }
    return serving::summarize(*simulated, {}, deployment.prefill_servers);
  }
  Summary run(const PlanPoint& point, const Setup& setup) {
    const auto ready = outset(options, point);
    if (!ready || ready->concurrency == 0) {
      if (!failed)
        failed = ready ? Error{"predictions", "point", point.name(), ready->reason} : ready.error();
      return {};
    }
    return run(point, setup, ready->prefill_gpus, ready->concurrency);
  }
  Summary run(const PlanPoint& point, const char* setup) {
    return run(point, setup_of(options, point, setup));
  }

  double convert_ms(const PlanPoint& point, const Setup& setup) const {
    const serving::ModelShape& model = *serving::model_preset(point.model);
    const double bytes = serving::kv_bytes_per_token_and_rank(model, options.tp) * point.context;
    return 1e3 * serving::conversion_seconds(setup.converter, bytes, model.layers);
  }

  Setup converting(const PlanPoint& point, Conversion where) const {
    Setup setup = setup_of(options, point, "c");
    setup.converter.where = where;
    if (where == Conversion::fused) setup.converter = serving::fused_converter();
    return setup;
  }

  void itl();
  void guard();
  void countable();
  void descriptors();
  void one_prefill();
  void fused();
  void side();
  void open_loop();
  void launches();
  void threshold();
};

PlanPoint shape(std::uint32_t batch, std::uint32_t context, std::uint32_t output) {
  return {"qwen3-8b", "cold", batch, context, output};
}

void PredictionMaker::itl() {
  Prediction& p =
      add("P1",
          "p99 ITL of (c) on the step path is worse than (b)'s by one to two conversions for every output "
          "length up to 1,024, also where (c)'s mean TPOT beats (a1)",
          "(a1), (b), (c): Qwen3-8B, TP 2, cold, batch 48, 16k, output 512 and 1,024; 3 repeats, "
          "--percentile-metrics ttft,tpot,itl");
  for (const std::uint32_t output : {512u, 1024u}) {
    const PlanPoint point = shape(48, 16384, output);
    const Summary a1 = run(point, "a1"), b = run(point, "b"), c = run(point, "c");
    const double convert = convert_ms(point, setup_of(options, point, "c"));
    const double more = c.itl_ms.p99 - b.itl_ms.p99;
    figure(p, fmt::format("c at 16k, output {}", output), convert, "ms");
    figure(p, fmt::format("p99 ITL (c) - (b), output {}", output), more, "ms");
    figure(p, fmt::format("mean TPOT gain of (c) over (a1), output {}", output),
           100 * (1 - c.tpot_ms.mean / a1.tpot_ms.mean), "%");
    wrong(p, fmt::format("median over repeats of p99_itl_ms (c) - (b), output {}", output), "below", more / 2,
          "ms");
  }
}

void PredictionMaker::guard() {
  Prediction& p =
      add("P2",
          "the guard \"TPOT no more than 2 % worse than (b)\" fails at 128 output tokens with the torch "
          "converter and holds at 1,024",
          "(b), (c): Qwen3-8B, TP 2, cold, batch 48, 4k and 16k, output 128 and 1,024; 3 repeats");
  for (const std::uint32_t context : {4096u, 16384u}) {
    for (const std::uint32_t output : {128u, 512u, 1024u}) {
      const PlanPoint point = shape(48, context, output);
      const double worse = 100 * (run(point, "c").tpot_ms.mean / run(point, "b").tpot_ms.mean - 1);
      figure(p, fmt::format("mean TPOT of (c) over (b), 48 x {}k, output {}", context / 1024, output), worse,
             "%");
    }
    wrong(p, fmt::format("mean TPOT of (c) over (b), 48 x {}k, output 128", context / 1024), "below", 2, "%");
    wrong(p, fmt::format("mean TPOT of (c) over (b), 48 x {}k, output 1024", context / 1024), "above", 2,
          "%");
  }
}

void PredictionMaker::countable() {
  Prediction& p =
      add("P3",
          "against the fastest unshuffled backend no win of (c) counts at 64 x 4k, whatever the output "
          "length, and at 32 x 16k none below some hundred output tokens",
          "(a2), (c): Qwen3-8B, TP 1, 64 x 4k with output 4,096 and 32 x 16k with output 128; 3 repeats");
  const RfcShape wide = rfc_shapes()[1], deep = rfc_shapes()[2];
  const auto fastest = [](const RfcShape& s) {
    return fa_step_ms(s.batch, s.context) - s.saving_fa_ms + s.saving_fastest_ms;
  };
  figure(p, "largest gain of TPOT over the fastest, 64 x 4k", 100 * wide.saving_fastest_ms / fastest(wide),
         "%");
  for (const double c : {deep.least_convert_ms, deep.most_convert_ms}) {
    figure(p, fmt::format("output tokens from which 3 % can count, 32 x 16k, c = {} ms", c),
           serving::counted_tokens(deep.batch, c, deep.saving_fastest_ms, fastest(deep)).value_or(0),
           "tokens");
  }
  wrong(p, "gain of mean TPOT of (c) over (a2) with ranges apart, 64 x 4k, output 4096", "above", 3, "%");
  wrong(p, "gain of mean TPOT of (c) over (a2) with ranges apart, 32 x 16k, output 128", "above", 3, "%");
}

void PredictionMaker::descriptors() {
  Prediction& p =
      add("P4",
          "reading byte halves doubles the descriptors of a request and adds 0.1 to 4 µs a descriptor to "
          "TTFT: to b, c and d, and to a1 and a2 once K and V slots are split for all",
          "(a1), (c): Qwen3-8B, 16-token blocks, 4k; vLLM's log line \"KV Transfer metrics\" of both");
  const double whole = serving::descriptors(4096, 16, 36, 1);
  figure(p, "descriptors of a 4k request on a rank, whole pages", whole, "");
  figure(p, "descriptors of a 4k request on a rank, byte halves", 2 * whole, "");
  figure(p, "added at 0.1 µs", whole * 0.1e-3, "ms");
  figure(p, "added at 2 µs", whole * 2e-3, "ms");
  wrong(p, "Avg number of descriptors (c) / (a1)", "below", 1.9, "");
  wrong(p, "Avg post time (c) - (a1)", "below", whole * 0.1e-3, "ms");
  wrong(p, "Avg post time (c) - (a1)", "above", whole * 4e-3, "ms");
}

void PredictionMaker::one_prefill() {
  Prediction& p =
      add("P5",
          "one prefill engine beside one decoder cannot hold the planned decode batches for short "
          "outputs, whatever the client's concurrency",
          "(a1) 1P1D, TP 2 each: Qwen3-8B cold, concurrency 256, output 128 at 4k, 8k, 16k; effective batch "
          "= request rate x output x TPOT");
  for (const std::uint32_t context : {4096u, 8192u, 16384u}) {
    const PlanPoint point = shape(48, context, 128);
    const Summary one = run(point, setup_of(options, point, "a1"), options.tp, 256);
    figure(p, fmt::format("mean decode batch at {}k", context / 1024), one.batch_mean, "requests");
  }
  for (const std::uint32_t context : {4096u, 8192u, 16384u}) {
    wrong(p, fmt::format("mean decode batch at {}k", context / 1024), "above", 0.9 * 48, "requests");
  }
}

void PredictionMaker::fused() {
  Prediction& p =
      add("P6",
          "a fused converter makes conversion cheap: it pays within about 50 output tokens, and its p99 ITL "
          "stays "
          "within one "
          "fused conversion of (b)'s",
          "(b), (c) with a one-kernel converter: Qwen3-8B, TP 2, cold, 48 x 16k, output 512; 3 repeats");
  const PlanPoint point = shape(48, 16384, 512);
  const Setup setup = converting(point, Conversion::fused);
  const double convert = convert_ms(point, setup);
  figure(p, "c, fused, at 16k", convert, "ms");
  figure(p, "p99 ITL (c fused) - (b)", run(point, setup).itl_ms.p99 - run(point, "b").itl_ms.p99, "ms");
  const double bytes = serving::request_bytes(*serving::model_preset("qwen3-8b"), 1024);
  for (const RfcShape& s : rfc_shapes()) {
    const double c = serving::conversion_ms(bytes * s.context / 1024, serving::kFusedTraffic, 3.5e12);
    figure(p, fmt::format("break-even against the fastest, {:g} x {:g}k, TP 1", s.batch, s.context / 1024),
           serving::break_even_tokens(s.batch, c, s.saving_fastest_ms), "tokens");
  }
  wrong(p, "median over repeats of p99_itl_ms (c fused) - (b)", "above", 2 * convert, "ms");
  wrong(p, "measured c, fused, at 16k on TP 2", "above", 2 * convert, "ms");
}

void PredictionMaker::side() {
  Prediction& p =
      add("P7",
          "a side stream takes most of the conversion out of p99 ITL and pays with TTFT: up to one more step",
          "(b), (c) on the step path and on a side stream: Qwen3-8B, TP 2, cold, 48 x 16k, output 512; 3 "
          "repeats");
  const PlanPoint point = shape(48, 16384, 512);
  const Summary b = run(point, "b"), step = run(point, converting(point, Conversion::step)),
                side_run = run(point, converting(point, Conversion::side));
  figure(p, "p99 ITL (c, step path) - (b)", step.itl_ms.p99 - b.itl_ms.p99, "ms");
  figure(p, "p99 ITL (c, side stream) - (b)", side_run.itl_ms.p99 - b.itl_ms.p99, "ms");
  figure(p, "mean TTFT (side stream) - (step path)", side_run.ttft_ms.mean - step.ttft_ms.mean, "ms");
  figure(p, "a step of (b)", b.tpot_ms.mean, "ms");
  wrong(p, "p99_itl_ms (c, side stream) - (c, step path)", "above", 0, "ms");
  wrong(p, "mean_ttft_ms (c, side stream) - (c, step path)", "above", 2 * b.tpot_ms.mean, "ms");
}

// T = T0/(1 − ρ): KV read by requests in flight, which a longer step makes more.
void PredictionMaker::open_loop() {
  Prediction& p = add(
      "P8",
      "at a fixed request rate near saturation the same kernel shows more than twice the TPOT gain that a "
      "fixed "
      "concurrency shows",
      "(a1), (b): Qwen3-8B, TP 2, cold, 8k, output 512: --max-concurrency 48, and --request-rate at which "
      "(a1) "
      "decodes 48 requests on average; 3 repeats");
  const PlanPoint point = shape(48, 8192, 512);
  const serving::ModelShape model = *serving::model_preset(point.model);
  const double fixed = 2.5e-3 + serving::step_weight_bytes(model, point.batch) / (2 * 3.8e12);
  const double kv =
      point.batch * (point.context + point.output / 2.0) * serving::kv_bytes_per_token(model) / (2 * 3.05e12);
  const double rho = kv / (fixed + kv), gain = options.assume.kernel_gain;
  const double closed = gain * kv / (fixed + kv), open = 1 - (1 - rho) / (1 - rho * (1 - gain));
  figure(p, "load of (a1): share of a step that reads KV", rho, "");
  figure(p, "TPOT gain of (b) over (a1), fixed concurrency", 100 * closed, "%");
  figure(p, "TPOT gain of (b) over (a1), fixed rate", 100 * open, "%");
  figure(p, "fixed rate / fixed concurrency", open / closed, "");
  wrong(p, "TPOT gain at fixed rate / at fixed concurrency", "below", 1.5, "");
}

void PredictionMaker::launches() {
  Prediction& p =
      add("P9", "at TP 2 and 4k it is kernel launches, not bytes, that set the time of a torch conversion",
          "(c): Qwen3-8B, TP 2, 1k and 4k; time of the conversion alone (split.json, or a microbenchmark)");
  const PlanPoint point = shape(48, 4096, 512);
  const Setup setup = setup_of(options, point, "c");
  const double bytes =
      serving::kv_bytes_per_token_and_rank(*serving::model_preset(point.model), 2) * point.context;
  const double floor = serving::launch_floor_ms(36, serving::kLaunchesPerLayer, serving::kLaunchMicroseconds);
  figure(p, "bytes at traffic 4 and 3 TB/s", serving::conversion_ms(bytes, 4, 3e12), "ms");
  figure(p, "bytes at traffic 6 and 1.5 TB/s", serving::conversion_ms(bytes, 6, 1.5e12), "ms");
  figure(p, "launches: 36 layers, 8 each, 6 µs", floor, "ms");
  figure(p, "c at 4k, as simulated", convert_ms(point, setup), "ms");
  wrong(p, "c at 4k on TP 2", "below", floor / 2, "ms");
  wrong(p, "c at 4k / c at 1k", "above", 2, "");
}

void PredictionMaker::threshold() {
  Prediction& p = add("P10",
                      "with captured decode graphs the asm kernel runs from a real batch of 33 on at TP 2 "
                      "(graph of 40), 17 at TP 1 "
                      "(graph of 24), not from 39 and 20",
                      "(b): Qwen3-8B on MI300X, FULL decode graphs; profiler at 32, 33 and 38 running "
                      "requests (TP 2), 16, 17 and 19 (TP 1)");
  const serving::ModelShape model = *serving::model_preset("qwen3-8b");
  const serving::Device device = *serving::device_preset("mi300x");
  for (const std::uint32_t tp : {1u, 2u}) {
    const double padded = serving::asm_batch(model, device, tp, true).value_or(0);
    figure(p, fmt::format("least batch that runs asm, TP {}, captured graphs", tp), padded, "requests");
    figure(p, fmt::format("least batch that runs asm, TP {}, no graphs", tp),
           serving::asm_batch(model, device, tp, false).value_or(0), "requests");
    wrong(p, fmt::format("least batch at which the profiler shows asm, TP {}", tp), "above", padded,
          "requests");
    wrong(p, fmt::format("least batch at which the profiler shows asm, TP {}", tp), "below", padded,
          "requests");
  }
}

}  // namespace

Expected<std::vector<Prediction>> make_predictions() {
  PredictionMaker maker;
  maker.itl();
  maker.guard();
  maker.countable();
  maker.descriptors();
  maker.one_prefill();
  maker.fused();
  maker.side();
  maker.open_loop();
  maker.launches();
  maker.threshold();
  if (maker.failed) return std::unexpected(*maker.failed);
  return std::move(maker.all);
}

std::string predictions_text(const std::vector<Prediction>& predictions) {
  std::string text;
  for (const Prediction& p : predictions) {
    text += fmt::format("{:<4} {}\n", p.id, p.claim);
    for (const PredictedFigure& one : p.figures)
      text += fmt::format("       {:<62} {:>9g} {}\n", one.name, one.value, one.unit);
    text += fmt::format("     runs   {}\n", p.runs);
    for (const Threshold& one : p.falsified_where) {
      text +=
          fmt::format("     wrong where  {} is {} {:g} {}\n", one.metric, one.relation, one.value, one.unit);
    }
  }
  return text;
}

}  // namespace pageproof::decision
