#include "reports/simulated/result_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace pageproof::simulated {
namespace {

using serving::Spread;

// Flat JSON, key after key, without a tree in memory: arrays have millions of numbers.
class Object {
 public:
  void text(std::string_view key, std::string_view value) {
    begin(key);
    out_ += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') out_ += '\\';
      out_ += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    out_ += '"';
  }
  void raw(std::string_view key, std::string_view value) {
    begin(key);
    out_ += value;
  }
  void number(std::string_view key, double value) {
    if (!std::isfinite(value)) return text(key, "inf");
    begin(key);
    add(value);
  }
  void whole(std::string_view key, std::uint64_t value) {
    begin(key);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  // One entry a request: what `entry` writes.
  template <class Requests, class Entry>
  void list(std::string_view key, const Requests& requests, const Entry& entry) {
    begin(key);
    out_ += '[';
    bool first = true;
    for (const auto& request : requests) {
      if (!first) out_ += ", ";
      first = false;
      entry(request);
    }
    out_ += ']';
  }
  void add(double value) { fmt::format_to(std::back_inserter(out_), "{}", value); }
  void add(std::string_view value) { out_ += value; }
  std::string done() && { return std::move(out_) + "}\n"; }

 private:
  void begin(std::string_view key) {
    fmt::format_to(std::back_inserter(out_), "{}\"{}\": ", out_.empty() ? "{" : ", ", key);
  }
  std::string out_;
};

void latency(Object& out, std::string_view name, const Spread& spread) {
  const std::pair<const char*, double> statistics[] = {
      {"mean", spread.mean}, {"median", spread.median}, {"std", spread.deviation}, {"p50", spread.median},
      {"p90", spread.p90},   {"p99", spread.p99},       {"p99.9", spread.p999}};
  for (const auto& [statistic, value] : statistics)
    out.number(fmt::format("{}_{}_ms", statistic, name), value);
}

void arrays_of(Object& out, const serving::Simulation& run) {
  using Record = serving::RequestRecord;
  const auto numbers = [&](const char* key, auto value) {
    out.list(key, run.requests, [&](const Record& one) { out.add(value(one)); });
  };
  const auto counts = [&](const char* key, auto value) {
    out.list(key, run.requests, [&](const Record& one) { out.add(fmt::format("{}", value(one))); });
  };
  counts("input_lens", [](const Record& one) { return one.input_tokens; });
  counts("output_lens", [](const Record& one) { return one.output_tokens; });
  numbers("ttfts", [](const Record& one) { return one.first_token - one.start; });
  out.list("itls", run.requests, [&](const Record& one) {
    out.add("[");
    const std::vector<serving::StepRecord>& steps = run.kept[one.decoder];
    for (std::uint32_t token = 1; token < one.output_tokens; ++token) {
      if (token > 1) out.add(", ");
      out.add(steps[one.first_step + token].seconds);
    }
    out.add("]");
  });
  numbers("start_times", [](const Record& one) { return one.start; });
  numbers("latencies", [](const Record& one) { return one.finish - one.start; });
  numbers("queue_times", [](const Record& one) { return one.start - one.arrival; });
  out.list("generated_texts", run.requests, [&](const Record&) { out.add("\"\""); });
  out.list("errors", run.requests, [&](const Record&) { out.add("\"\""); });
}

std::string three(const Spread& spread) {
  return fmt::format("{{\"mean\": {}, \"p50\": {}, \"p99\": {}}}", spread.mean, spread.median, spread.p99);
}

}  // namespace

std::string kernel_that_ran(const serving::Cell& cell, const serving::Simulation& run) {
  const serving::Deployment& d = cell.deployment;
  double fast = 0, all = 0;
  for (std::uint32_t batch = 1; batch < run.batch_seconds.size(); ++batch) {
    const std::uint32_t padded = d.step.padded ? serving::padded_batch(batch) : batch;
    all += run.batch_seconds[batch];
    if (serving::asm_engages(d.model, d.device, d.tp, padded)) fast += run.batch_seconds[batch];
  }
  return 2 * fast > all ? cell.setup.kernel.asm_name : cell.setup.kernel.name;
}

std::string ratio_of(const serving::Deployment& deployment) {
  return fmt::format("{}:{}", deployment.prefill_servers, deployment.decoders);
}

std::string result_json(const serving::Simulation& run, const serving::Summary& summary,
                        const RunFacts& facts, bool arrays) {
  const serving::Cell& cell = facts.cell;
  const serving::Load& load = cell.load;
  Object out;
  out.text("date", facts.date);
  out.text("endpoint_type", "simulated");
  out.text("backend", "simulated");
  out.text("label", fmt::format("setup-{}", cell.setup.name));
  out.text("model_id", cell.deployment.model.name);
  out.text("tokenizer_id", cell.deployment.model.name);
  out.whole("num_prompts", summary.requests);
  out.text("setup", cell.setup.name);
  if (load.trace.empty()) {
    out.text("isl", std::to_string(load.input_tokens));
    out.text("osl", std::to_string(load.output_tokens));
  }
  out.text("workload", !load.trace.empty() ? "trace" : load.cached_share > 0 ? "hit" : "cold");
  out.text("pd", ratio_of(cell.deployment));
  out.text("kernel", kernel_that_ran(cell, run));
  out.text("tp", std::to_string(cell.deployment.tp));
  out.text("device", cell.deployment.device.key);
  out.text("seed", std::to_string(facts.seed));
  out.text("prefill_throughput", fmt::format("{}", summary.prefill_tokens_per_s));
  for (const auto& [key, value] : facts.tags) out.text(key, value);
  out.text("simulated", facts.simulated);
  out.number("request_rate", load.trace.empty() ? load.request_rate : serving::Load{}.request_rate);
  out.number("burstiness", load.burstiness);
  if (load.max_concurrency) {
    out.whole("max_concurrency", *load.max_concurrency);
  } else {
    out.raw("max_concurrency", "null");
  }
  out.number("duration", summary.duration_s);
  out.whole("completed", summary.requests);
  out.whole("failed", 0);
  out.whole("total_input_tokens", summary.input_tokens);
  out.whole("total_output_tokens", summary.output_tokens);
  out.number("request_throughput", summary.requests_per_s());
  if (cell.objectives.any()) {
    out.number("request_goodput", summary.good_per_s);
  } else {
    out.raw("request_goodput", "null");
  }
  out.number("output_throughput", summary.output_per_s());
  out.number("total_token_throughput",
             static_cast<double>(summary.input_tokens + summary.output_tokens) / summary.duration_s);
  out.number("max_output_tokens_per_s", static_cast<double>(summary.most_tokens_a_second));
  out.whole("max_concurrent_requests", summary.most_concurrent);
  out.number("rtfx", 0);
  latency(out, "ttft", summary.ttft_ms);
  latency(out, "tpot", summary.tpot_ms);
  latency(out, "itl", summary.itl_ms);
  latency(out, "e2el", summary.e2el_ms);
  if (arrays) arrays_of(out, run);
  return std::move(out).done();
}

std::string sidecar_json(const serving::Simulation& run, const serving::Summary& summary,
                         const RunFacts& facts, const std::string& file) {
  const auto part = [&](serving::Part one) { return three(summary.parts_ms[static_cast<std::size_t>(one)]); };
  Object out;
  out.text("run", file);
  out.whole("n", summary.requests);
  out.raw("prefill_ms", part(serving::Part::prefill));
  out.raw("transfer_ms", part(serving::Part::transfer));
  out.raw("convert_ms", part(serving::Part::conversion));
  out.raw("decode_first_step_ms", part(serving::Part::first_step));
  out.text("decode_kernel", kernel_that_ran(facts.cell, run));
  out.raw("effective_batch",
          fmt::format("{{\"mean\": {}, \"p10\": {}}}", summary.batch_mean, summary.batch_p10));
  return std::move(out).done();
}

}  // namespace pageproof::simulated
