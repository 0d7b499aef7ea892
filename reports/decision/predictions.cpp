#include "reports/decision/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "model/serving/cost.hpp"
#include "reports/decision/prediction_runs.hpp"
#include "reports/decision/rfc_figures.hpp"
#include "reports/results/statistics.hpp"

namespace pageproof::decision {
namespace {

using serving::Setup;

double five_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

Setup usual(const char* name) {
  return *serving::setup_preset(name);
}

// (c), converting elsewhere than on the step path.
Setup converting(const char* where) {
  Setup setup = usual("c");
  const auto changed = serving::override_field(setup, "convert", where, "c");
  assert(changed);
  return setup;
}

// Of one request of `tokens`, in ms.
double convert_ms(const Setup& setup, double tokens) {
  const serving::ModelShape model = *serving::model_preset("qwen3-8b");
  const double bytes = serving::kv_bytes_per_token_and_rank(model, 2) * tokens;
  return 1e3 * serving::conversion_seconds(setup.converter, bytes, model.layers);
}

PlanPoint shape(std::uint32_t batch, std::uint32_t context, std::uint32_t output) {
  return {"qwen3-8b", "cold", batch, context, output};
}

std::string load_name(const PlanPoint& point) {
  return fmt::format("{} x {}k, output {}", point.batch, point.context / 1024, point.output);
}

struct PredictionMaker {
  std::vector<Prediction> all = {};
  std::optional<Error> failed = std::nullopt;  // the first

  Prediction& add(const char* id, std::string claim, const char* runs) {
    all.push_back({.id = id,
                   .claim = std::move(claim),
                   .figures = {},
                   .runs = runs,
                   .repeat = {},
                   .falsified_where = {}});
    return all.back();
  }
  static void figure(Prediction& to, std::string name, double value, const char* unit) {
    to.figures.push_back({std::move(name), five_digits(value), unit});
  }
  static void wrong(Prediction& of, std::string metric, const char* relation, double value,
                    const char* unit) {
    of.falsified_where.push_back({std::move(metric), relation, five_digits(value), unit});
  }

  Place at(const PlanPoint& point, std::uint32_t tp = 2) {
    auto place = place_for(point, tp);
    if (place) return *place;
    if (!failed) failed = place.error();
    return {.point = point, .tp = tp};
  }
  SeedRuns run(const Place& place, const Setup& setup) {
    if (failed) return {};
    auto runs = run_at(place, setup);
    if (runs) return *std::move(runs);
    failed = runs.error();
    return {};
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

void PredictionMaker::itl() {
  Prediction& p =
      add("P1",
          "p99 ITL of (c) on the step path is worse than (b)'s by about one conversion at 512 and "
          "1,024 output tokens (0.5 to 1.5 of one), and by more than one at 128 (1 to 2.5), also "
          "where (c)'s mean TPOT beats (a1)",
          "(a1), (b), (c): 3 repeats, --percentile-metrics ttft,tpot,itl; c measured by itself");
  const double convert = convert_ms(usual("c"), 16384);
  figure(p, "one conversion, c at 16k on TP 2", convert, "ms");
  for (const std::uint32_t output : {128u, 512u, 1024u}) {
    const Place place = at(shape(48, 16384, output));
    const SeedRuns a1 = run(place, usual("a1")), b = run(place, usual("b")), c = run(place, usual("c"));
    const std::string load = load_name(place.point);
    figure(p, "p99_itl_ms (c) - (b), " + load, median_difference(c.p99_itl_ms, b.p99_itl_ms), "ms");
    figure(p, "mean TPOT gain of (c) over (a1), " + load, 100 * (1 - median_ratio(c.tpot_ms, a1.tpot_ms)),
           "%");
    p.repeat.push_back(repeat_of(place, "a1,b,c"));
    const std::string metric = "median over repeats of p99_itl_ms (c) - (b), " + load;
    wrong(p, metric, "below", (output == 128 ? 1 : 0.5) * convert, "ms");
    wrong(p, metric, "above", (output == 128 ? 2.5 : 1.5) * convert, "ms");
  }
}

void PredictionMaker::guard() {
  Prediction& p =
      add("P2",
          "the guard \"TPOT no more than 2 % worse than (b)\" fails at 128 output tokens with the "
          "torch converter and holds at 1,024",
          "(b), (c): 3 repeats");
  for (const std::uint32_t context : {4096u, 16384u}) {
    for (const std::uint32_t output : {128u, 512u, 1024u}) {
      const Place place = at(shape(48, context, output));
      const std::string metric = "mean TPOT of (c) over (b), " + load_name(place.point);
      const double ratio = median_ratio(run(place, usual("c")).tpot_ms, run(place, usual("b")).tpot_ms);
      figure(p, metric, 100 * (ratio - 1), "%");
      p.repeat.push_back(repeat_of(place, "b,c"));
      if (output != 512) wrong(p, metric, output == 128 ? "below" : "above", 2, "%");
    }
  }
}

void PredictionMaker::countable() {
  Prediction& p =
      add("P3",
          "against the fastest unshuffled backend no win of (c) in TPOT counts (3 %, ranges apart) "
          "at 64 x 4k with 128 to 1,024 output tokens, nor at 32 x 16k with 128",
          "(a2), (c): TP 1; 3 repeats");
  for (const PlanPoint& point :
       {shape(64, 4096, 128), shape(64, 4096, 512), shape(64, 4096, 1024), shape(32, 16384, 128)}) {
    const Place place = at(point, 1);
    const std::string metric = "gain of mean TPOT of (c) over (a2), TP 1, " + load_name(point);
    const double ratio = median_ratio(run(place, usual("c")).tpot_ms, run(place, usual("a2")).tpot_ms);
    figure(p, metric, 100 * (1 - ratio), "%");
    p.repeat.push_back(repeat_of(place, "a2,c"));
    wrong(p, metric + ", with ranges apart", "above", 3, "%");
  }
  const RfcShape deep = rfc_shapes()[2];
  const double fastest = fa_step_ms(deep.batch, deep.context) - deep.saving_fa_ms + deep.saving_fastest_ms;
  for (const double c : {deep.least_convert_ms, deep.most_convert_ms}) {
    figure(p,
           fmt::format("output tokens from which 3 % can count by the RFC's saving, 32 x 16k, c = {} ms", c),
           serving::counted_tokens(deep.batch, c, deep.saving_fastest_ms, fastest).value_or(0), "tokens");
  }
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
          "outputs, whatever the client's concurrency: it reaches less than 90 % of 48",
          "(a1), 1 prefill engine: effective batch = request rate x output x TPOT");
  for (const std::uint32_t context : {4096u, 8192u, 16384u}) {
    const PlanPoint point = shape(48, context, 128);
    const Place place{.point = point, .tp = 2, .prefill_servers = 1, .concurrency = 256, .prompts = 1536};
    const std::string metric = fmt::format("mean decode batch at {}k, output 128", context / 1024);
    figure(p, metric, results::median(run(place, usual("a1")).batch), "requests");
    p.repeat.push_back(repeat_of(place, "a1"));
    wrong(p, metric, "above", 0.9 * 48, "requests");
  }
}

void PredictionMaker::fused() {
  Prediction& p =
      add("P6",
          "a fused converter makes conversion cheap: p99 ITL stays within 1.5 fused conversions of "
          "(b)'s at 512 output tokens, and at 128 TPOT stays within the 2 % of (b) that the torch "
          "converter breaks there",
          "(b), (c) with a one-kernel converter: 3 repeats; c measured by itself");
  const Setup setup = converting("fused");
  const double convert = convert_ms(setup, 16384);
  figure(p, "one fused conversion, c at 16k on TP 2", convert, "ms");
  for (const std::uint32_t output : {128u, 512u}) {
    const Place place = at(shape(48, 16384, output));
    const SeedRuns b = run(place, usual("b")), c = run(place, setup);
    const std::string load = load_name(place.point);
    figure(p, "p99_itl_ms (c fused) - (b), " + load, median_difference(c.p99_itl_ms, b.p99_itl_ms), "ms");
    figure(p, "mean TPOT of (c fused) over (b), " + load, 100 * (median_ratio(c.tpot_ms, b.tpot_ms) - 1),
           "%");
    p.repeat.push_back(repeat_of(place, "b,c", "--set c.convert=fused"));
    if (output == 128) wrong(p, "mean TPOT of (c fused) over (b), " + load, "above", 2, "%");
    if (output == 512) {
      wrong(p, "median over repeats of p99_itl_ms (c fused) - (b), " + load, "above", 1.5 * convert, "ms");
    }
  }
  const double bytes = serving::request_bytes(*serving::model_preset("qwen3-8b"), 1024);
  for (const RfcShape& s : rfc_shapes()) {
    const double c = serving::conversion_ms(bytes * s.context / 1024, serving::kFusedTraffic, 3.5e12);
    figure(
        p,
        fmt::format("break-even by B·c/s against the fastest, {:g} x {:g}k, TP 1", s.batch, s.context / 1024),
        serving::break_even_tokens(s.batch, c, s.saving_fastest_ms), "tokens");
  }
}

void PredictionMaker::side() {
  Prediction& p =
      add("P7",
          "a side stream takes more than half of what the step path adds out of p99 ITL, and pays "
          "with TTFT: more than on the step path, by at most one step",
          "(b), (c) on the step path, (c) on a side stream: 3 repeats");
  const Place place = at(shape(48, 16384, 512));
  const SeedRuns b = run(place, usual("b")), step = run(place, converting("step")),
                 beside = run(place, converting("side"));
  const double more = median_difference(step.p99_itl_ms, b.p99_itl_ms), one_step = results::median(b.tpot_ms);
  figure(p, "p99_itl_ms (c, step path) - (b)", more, "ms");
  figure(p, "p99_itl_ms (c, side stream) - (b)", median_difference(beside.p99_itl_ms, b.p99_itl_ms), "ms");
  figure(p, "mean_ttft_ms (c, side stream) - (c, step path)", median_difference(beside.ttft_ms, step.ttft_ms),
         "ms");
  figure(p, "a step of (b): its mean TPOT", one_step, "ms");
  p.repeat.push_back(repeat_of(place, "b,c"));
  p.repeat.push_back(repeat_of(place, "b,c", "--set c.convert=side"));
  wrong(p, "(p99_itl_ms (c, side stream) - (b)) / (p99_itl_ms (c, step path) - (b))", "above", 0.5, "");
  wrong(p, "mean_ttft_ms (c, side stream) - (c, step path)", "below", 0, "ms");
  wrong(p, "(mean_ttft_ms (c, side stream) - (c, step path)) / mean_tpot_ms (b)", "above", 1, "");
}

// T = T0/(1 - ρ): KV read by requests in flight, which a longer step makes more.
void PredictionMaker::open_loop() {
  Prediction& p =
      add("P8",
          "at the request rate that (a1) serves with 48 requests at a fixed concurrency, the same "
          "kernel shows more than twice the TPOT gain that it shows at that concurrency",
          "(a1), (b): at a client limit, and at a rate; 3 repeats");
  const Place closed = at(shape(48, 8192, 512));
  const SeedRuns a1 = run(closed, usual("a1"));
  Place open = closed;
  open.concurrency = 0;
  open.rate = std::round(1e3 * 48 / (512 * 1e-3 * std::max(1.0, results::median(a1.tpot_ms)))) / 1e3;
  open.prompts = 2000;
  const auto gain = [&](const Place& place) {
    return 1 - median_ratio(run(place, usual("b")).tpot_ms, run(place, usual("a1")).tpot_ms);
  };
  const double at_concurrency = gain(closed), at_rate = gain(open);
  figure(p, "requests a second that (a1) serves with 48 of them decoding", open.rate, "1/s");
  figure(p, "mean decode batch of (a1) at that rate", results::median(run(open, usual("a1")).batch),
         "requests");
  figure(p, "TPOT gain of (b) over (a1), fixed concurrency", 100 * at_concurrency, "%");
  figure(p, "TPOT gain of (b) over (a1), fixed rate", 100 * at_rate, "%");
  figure(p, "fixed rate / fixed concurrency", at_rate / at_concurrency, "");
  p.repeat.push_back(repeat_of(closed, "a1,b"));
  p.repeat.push_back(repeat_of(open, "a1,b"));
  wrong(p, "TPOT gain at fixed rate / at fixed concurrency", "below", 2, "");
}

void PredictionMaker::launches() {
  Prediction& p =
      add("P9",
          "at TP 2 and 4k a torch conversion takes at least the 1.7 ms of its kernel launches, and "
          "more than half of it is launches: c at 4k is less than 1.6 times c at 1k",
          "(c): Qwen3-8B, TP 2, 1k and 4k; time of the conversion alone (a microbenchmark)");
  const Setup setup = usual("c");
  const double bytes = serving::kv_bytes_per_token_and_rank(*serving::model_preset("qwen3-8b"), 2) * 4096;
  const double floor = serving::launch_floor_ms(36, serving::kLaunchesPerLayer, serving::kLaunchMicroseconds);
  figure(p, "bytes at traffic 4 and 3 TB/s", serving::conversion_ms(bytes, 4, 3e12), "ms");
  figure(p, "bytes at traffic 6 and 1.5 TB/s", serving::conversion_ms(bytes, 6, 1.5e12), "ms");
  figure(p, "launches: 36 layers, 8 each, 6 µs", floor, "ms");
  figure(p, "c at 4k, as simulated", convert_ms(setup, 4096), "ms");
  figure(p, "c at 4k / c at 1k, as simulated", convert_ms(setup, 4096) / convert_ms(setup, 1024), "");
  wrong(p, "c at 4k on TP 2", "below", floor, "ms");
  // Launches F and bytes b: (F + b)/(F + b/4) is 1.6 where b = F.
  wrong(p, "c at 4k / c at 1k", "above", 1.6, "");
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
    for (const PredictedRun& one : p.repeat) {
      text += fmt::format(
          "            {} {} {}, TP {}, P:D {}, isl {}, osl {}, {}, {} prompts\n              {}\n",
          one.setups, one.model, one.workload, one.tp, one.pd, one.isl, one.osl,
          one.max_concurrency > 0 ? fmt::format("--max-concurrency {}", one.max_concurrency)
                                  : fmt::format("--request-rate {}", one.request_rate),
          one.num_prompts, one.simulate);
    }
    for (const Threshold& one : p.falsified_where) {
      text +=
          fmt::format("     wrong where  {} is {} {:g} {}\n", one.metric, one.relation, one.value, one.unit);
    }
  }
  return text;
}

}  // namespace pageproof::decision
