#include "reports/decision/cost_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace pageproof::decision {
namespace {

using serving::DecodeKernel;

constexpr double kSheetNever = std::numeric_limits<double>::infinity();
constexpr double kMostTokens = 1e9;

Expected<void> check_question(const CostQuestion& q) {
  const auto refuse = [](const char* option, double value, const char* problem) {
    return std::unexpected(Error{option, "", fmt::format("{}", value), problem});
  };
  if (q.batch == 0 || q.batch > serving::kMostBatch)
    return refuse("--batch", q.batch, "not 1 to 4096 requests");
  for (const auto& [option, tokens] :
       {std::pair{"--context", q.context}, {"--output", q.output}, {"--block", q.block_tokens}}) {
    const double value = static_cast<double>(tokens);
    if (tokens == 0 || value > kMostTokens) return refuse(option, value, "not 1 to 1000000000 tokens");
  }
  for (const double traffic : q.traffic) {
    if (!(traffic > 0 && traffic <= 1000)) return refuse("--kappa", traffic, "not above 0 and up to 1000");
  }
  for (const double bandwidth : q.bytes_per_second) {
    if (!(bandwidth >= 1e9 && bandwidth <= 1e15))
      return refuse("--bandwidth", bandwidth / 1e12, "not 0.001 to 1000 TB/s");
  }
  if (q.saving_ms && !(*q.saving_ms > 0 && *q.saving_ms <= 1e6)) {
    return refuse("--saving", *q.saving_ms, "not above 0 and up to 1000000 ms");
  }
  if (!(q.launch_microseconds >= 0 && q.launch_microseconds <= 1e6)) {
    return refuse("--launch-us", q.launch_microseconds, "not 0 to 1000000 µs");
  }
  return {};
}

struct Steps {
  double fa_ms = 0;
  double unified_ms = 0;
  double shuffled_ms = 0;
};

Expected<double> step_ms(const CostQuestion& q, const DecodeKernel& kernel) {
  const auto time = serving::StepTime::parametric(q.step, kernel, q.model, q.device, q.tp, q.batch);
  if (!time) {
    Error error = time.error();
    if (error.subject == "tp") error.subject = "--tp";
    return std::unexpected(error);
  }
  return 1e3 * time->seconds(q.batch, static_cast<double>(q.batch) * static_cast<double>(q.context));
}

Expected<Steps> steps_of(const CostQuestion& q) {
  const auto fa = step_ms(q, serving::ll4mi_kernel());
  if (!fa) return std::unexpected(fa.error());
  const auto unified = step_ms(q, serving::unified_kernel());
  const auto shuffled = step_ms(q, serving::shuffled_kernel());
  return Steps{*fa, *unified, *shuffled};
}

struct SheetMaker {
  const CostQuestion& q;
  const Steps steps;
  std::vector<CostLine> lines = {};
  const double batch = q.batch;
  const double context = static_cast<double>(q.context);
  const double output = static_cast<double>(q.output);
  double least_c = 0, most_c = 0;

  void add(const char* topic, std::string name, double least, double most, const char* unit,
           std::string formula, const char* source) {
    lines.push_back({topic, std::move(name), least, most, unit, std::move(formula), source});
  }
  void one(const char* topic, std::string name, double value, const char* unit, std::string formula,
           const char* source) {
    add(topic, std::move(name), value, value, unit, std::move(formula), source);
  }

  void bytes_and_conversion();
  void step();
  void pays_from(const char* against, double saving, double comparator_ms);
  void kernel_and_capacity();
  void transfer_and_prefill();
};

void SheetMaker::bytes_and_conversion() {
  const serving::ModelShape& m = q.model;
  const double all = serving::request_bytes(m, context);
  const double rank = serving::kv_bytes_per_token_and_rank(m, q.tp) * context;
  one("bytes", "KV of a request", all / 1e9, "GB",
      fmt::format("L·2·H_kv·D·e·tokens = {}·2·{}·{}·{}·{}", m.layers, m.kv_heads, m.head_dim,
                  m.kv_element_bytes, q.context),
      "shape of the model");
  one("bytes", "KV of a request on a rank", rank / 1e9, "GB", fmt::format("TP {}", q.tp),
      "shape of the model");
  const double page = rank / context * static_cast<double>(q.block_tokens) / m.layers;
  one("bytes", "page", page / 1024, "KiB",
      fmt::format("{} tokens of a layer on a rank; a byte half is {:g} KiB", q.block_tokens, page / 2048),
      "RFC, Descriptors");
  least_c = kSheetNever;
  for (const double traffic : q.traffic) {
    for (const double bandwidth : q.bytes_per_second) {
      const double c = serving::conversion_ms(rank, traffic, bandwidth);
      one("conversion", fmt::format("traffic {:g} at {:g} TB/s", traffic, bandwidth / 1e12), c, "ms",
          fmt::format("κ·V/β = {:g}·{:.3f} GB / {:g} TB/s", traffic, rank / 1e9, bandwidth / 1e12),
          "RFC, Convert");
      least_c = std::min(least_c, c);
      most_c = std::max(most_c, c);
    }
  }
  one("conversion", "fused kernel, traffic 2 at 3.5 TB/s",
      serving::conversion_ms(rank, serving::kFusedTraffic, 3.5e12), "ms", "each byte read once, written once",
      "docs/cost.md, c");
  const double floor = serving::launch_floor_ms(m.layers, serving::kLaunchesPerLayer, q.launch_microseconds);
  one("conversion", "launch floor", floor, "ms",
      fmt::format("L·8·t = {}·8·{:g} µs, on the CPU", m.layers, q.launch_microseconds), "docs/cost.md, c");
  if (q.with_launches) {
    least_c += floor;
    most_c += floor;
  }
  add("conversion", "c, as used below", least_c, most_c, "ms",
      q.with_launches ? "bytes and launches" : "bytes alone", "docs/cost.md, c");
}

void SheetMaker::step() {
  const char* source = "prior; fit your own: calibrate";
  const char* formula = "t0 + W/(t·β_w) + B·ctx·kvb/(t·β_S)";
  one("step", "unshuffled ROCM_AITER_FA", steps.fa_ms, "ms", formula, source);
  one("step", "unshuffled unified", steps.unified_ms, "ms", formula, source);
  one("step", "shuffled, T_b", steps.shuffled_ms, "ms", formula, source);
  one("step", "steps that carry a conversion", 100 * serving::converting_steps(batch, output), "%",
      fmt::format("1 - e^(-B/N) = 1 - e^(-{}/{}): each makes one gap c longer", q.batch, q.output),
      "docs/cost.md, ITL");
  one("pays from", "TPOT at most 2 % worse than (b): tokens",
      serving::guard_tokens(batch, least_c, steps.shuffled_ms), "tokens",
      fmt::format("B·c/(0.02·T_b) = {}·c / (0.02·{:.2f} ms)", q.batch, steps.shuffled_ms),
      "RFC, decision rules");
  lines.back().most = serving::guard_tokens(batch, most_c, steps.shuffled_ms);
}

void SheetMaker::pays_from(const char* against, double saving, double comparator_ms) {
  const bool saves = saving > 1e-9;
  one("pays from", fmt::format("saving a step against {}", against), std::max(0.0, saving), "ms",
      q.saving_ms ? "given" : "difference of the two steps; 0 below the asm threshold",
      q.saving_ms ? "--saving" : "step-time prior");
  const auto tokens = [&](double c) {
    return saves ? serving::break_even_tokens(batch, c, saving) : kSheetNever;
  };
  add("pays from", fmt::format("break-even N* against {}", against), tokens(least_c), tokens(most_c),
      "tokens", fmt::format("B·c/s = {}·c / {:.3f} ms", q.batch, saving), "RFC, Convert");
  const auto counted = [&](double c) {
    return serving::counted_tokens(batch, c, saving, comparator_ms).value_or(kSheetNever);
  };
  add("pays from", fmt::format("3 % rule against {}", against), counted(least_c), counted(most_c), "tokens",
      fmt::format("B·c/(s - 0.03·T) = {}·c / ({:.3f} - {:.3f}) ms", q.batch, saving, 0.03 * comparator_ms),
      "RFC, decision rules");
}

void SheetMaker::kernel_and_capacity() {
  const std::uint32_t heads = q.model.query_heads / q.tp;
  const auto batch_of = [&](bool padded) {
    const auto found = serving::asm_batch(q.model, q.device, q.tp, padded);
    return found ? static_cast<double>(*found) : kSheetNever;
  };
  one("asm", "asm decode kernel from batch", batch_of(false), "requests",
      fmt::format("B·H_q/t > 2·CUs: B·{} > {}", heads, 2 * q.device.compute_units), "AITER, RFC");
  one("asm", "the same with captured graphs", batch_of(true), "requests",
      fmt::format("the graph's size counts: {} runs as {}", q.batch, serving::padded_batch(q.batch)),
      "inferred from vLLM");
  const auto need = serving::capacity_for(q.model, q.device, q.tp, {}, batch, context + output,
                                          static_cast<double>(q.block_tokens));
  one("capacity", "KV capacity", need.capacity_tokens / 1e3, "k tokens",
      "(0.9·memory - 6 GB - weights/t) / (bytes of a token on a rank)", "docs/cost.md, memory");
  one("capacity", "needed", 100 * need.share(), "% of it",
      fmt::format(
          "B·(context + output) = {:.0f} k tokens: {}", need.needed_tokens / 1e3,
          need.fits(serving::kCapacityMargin) ? "fits the 95 % margin" : "does NOT fit the 95 % margin"),
      "RFC");
}

void SheetMaker::transfer_and_prefill() {
  const double tokens = static_cast<double>(q.block_tokens);
  const double whole = serving::descriptors(context, tokens, q.model.layers, 1);
  const double halves = serving::descriptors(context, tokens, q.model.layers, 2);
  one("transfer", "descriptors, whole pages", whole, "a rank", "blocks·L", "RFC, Descriptors");
  one("transfer", "descriptors, byte halves", halves, "a rank", "blocks·L·2", "RFC, Descriptors");
  add("transfer", "posting what halving adds", 0.1e-3 * whole, 2e-3 * whole, "ms",
      "blocks·L at 0.1 µs (RDMA) to 2 µs (IPC, PCIe)", "docs/cost.md, links");
  const double prefill = serving::prefill_seconds(q.model, q.device, context, 0);
  one("prefill", "cold prefill of the context", prefill, "s",
      fmt::format("(f·S + 2·L·H_q·D·S²) / {:g} TFLOP/s", q.device.prefill_flops_per_second / 1e12),
      "docs/cost.md, prefill");
  one("prefill", "prefill GPUs that keep the batch",
      serving::prefill_gpus_needed(batch, output, steps.fa_ms / 1e3, prefill), "GPUs",
      "B/(N·T)·prefill: with fewer the decoder runs a smaller batch", "docs/cost.md, prefill");
}

std::string sheet_amount(double value) {
  if (std::isinf(value)) return "never";
  const double size = std::abs(value);
  return size >= 1000  ? fmt::format("{:.0f}", value)
         : size >= 100 ? fmt::format("{:.0f}", value)
         : size >= 10  ? fmt::format("{:.1f}", value)
                       : fmt::format("{:.2f}", value);
}

std::string range(const CostLine& line) {
  const std::string least = sheet_amount(line.least), most = sheet_amount(line.most);
  if (least == most) return std::isinf(line.least) ? least : fmt::format("{} {}", least, line.unit);
  return fmt::format("{} to {} {}", least, most, line.unit);
}

}  // namespace

Expected<CostSheet> cost_sheet(const CostQuestion& question) {
  if (const auto ok = check_question(question); !ok) return std::unexpected(ok.error());
  const auto steps = steps_of(question);
  if (!steps) return std::unexpected(steps.error());
  SheetMaker maker{.q = question, .steps = *steps};
  maker.bytes_and_conversion();
  maker.step();
  if (question.saving_ms) {
    maker.pays_from("the comparator", *question.saving_ms, steps->shuffled_ms + *question.saving_ms);
  } else {
    maker.pays_from("ROCM_AITER_FA", steps->fa_ms - steps->shuffled_ms, steps->fa_ms);
    maker.pays_from("unified", steps->unified_ms - steps->shuffled_ms, steps->unified_ms);
  }
  maker.kernel_and_capacity();
  maker.transfer_and_prefill();
  return CostSheet{question, std::move(maker.lines)};
}

const CostLine& line_of(const CostSheet& sheet, std::string_view name) {
  const auto found = std::ranges::find(sheet.lines, name, &CostLine::name);
  assert(found != sheet.lines.end());
  return *found;
}

std::string cost_text(const CostSheet& sheet) {
  const CostQuestion& q = sheet.question;
  std::string text = fmt::format("{} on {}, TP {}: {} running requests of {} tokens, {} output tokens each\n",
                                 q.model.name, q.device.name, q.tp, q.batch, q.context, q.output);
  std::string topic;
  for (const CostLine& line : sheet.lines) {
    text += fmt::format("{:<11}{:<42} {:>24}   {}   [{}]\n", line.topic == topic ? "" : line.topic, line.name,
                        range(line), line.formula, line.source);
    topic = line.topic;
  }
  return text;
}

}  // namespace pageproof::decision
