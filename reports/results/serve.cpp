// vllm bench serve (--save-result, --append-result, --save-detailed), vllm bench sweep serve, SGLang's
// bench_serving and InferenceX share their keys; they differ in units (InferenceX: seconds, no "_ms"), in a
// few names, and in which keys a version had.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "reports/results/forms.hpp"
#include "reports/results/statistics.hpp"

namespace pageproof::results {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kServeLatencies{{
    {"ttft", "ttft"},
    {"tpot", "tpot"},
    {"itl", "itl"},
    {"e2el", "e2el"},
    {"e2e_latency", "e2el"},
    {"queue_time", "queue_time"},
}};

// Numbers that are no latency, with the name that a run has for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kServeNumbers{{
    {"request_throughput", "request_throughput"},
    {"request_goodput", "request_goodput"},
    {"request_goodput:", "request_goodput"},  // as older versions spell it
    {"output_throughput", "output_throughput"},
    {"input_throughput", "input_throughput"},
    {"total_token_throughput", "total_token_throughput"},
    {"total_throughput", "total_token_throughput"},
    {"max_output_tokens_per_s", "max_output_tokens_per_s"},
    {"max_concurrent_requests", "max_concurrent_requests"},
    {"concurrency", "mean_concurrency"},
    {"accept_length", "accept_length"},
    {"rtfx", "rtfx"},
    {"client_queue_time", "client_queue_time"},
    {"e2el_including_client_queue", "e2el_including_client_queue"},
    {"tput_per_gpu", "tput_per_gpu"},
    {"output_tput_per_gpu", "output_tput_per_gpu"},
    {"input_tput_per_gpu", "input_tput_per_gpu"},
}};

constexpr std::array<std::string_view, 6> kOfSidecar{
    "prefill_ms", "transfer_ms", "convert_ms", "decode_first_step_ms", "decode_kernel", "effective_batch"};

// Tags that say what a run is of: none of them may be lost without a word.
constexpr std::array<std::string_view, 11> kRuleTags{
    "setup",  "isl",   "osl",        "workload",          "pd", "load", "batch",
    "kernel", "model", "run_number", "prefill_throughput"};
// Lists that the tools write and no rule needs.
constexpr std::array<std::string_view, 4> kServeLists{"generated_texts", "queue_times", "rps_change_events",
                                                      "latencies"};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tool tool_of(const Document& document) {
  bool milliseconds = false;
  bool seconds = false;
  for (const auto& [path, value] : document.values) {
    const auto key = metric_key(path);
    if (key) (key->factor == 1 ? milliseconds : seconds) = true;
  }
  if (seconds && !milliseconds) {
    return document.has("completed") ? Tool::inferencex : Tool::inferencex_summary;
  }
  if (document.has("mean_e2e_latency_ms") || document.has("accept_length")) return Tool::sglang;
  return document.has("run_number") ? Tool::vllm_sweep : Tool::vllm_serve;
}

class ServeReader {
 public:
  ServeReader(Document& document, Tool tool) : document_(document) { run_.tool = tool; }

  Run run() {
    run_.date = text("date");
    const Value* simulated = document_.find("simulated");
    run_.simulated =
        simulated != nullptr && simulated->kind != Value::Kind::null && simulated->text != "false";
    run_.model_id = text("model_id");
    if (run_.model_id.empty()) run_.model_id = text("model");
    run_.num_prompts = count("num_prompts");
    run_.completed = count("completed");
    run_.failed = count("failed");
    run_.total_input_tokens = count("total_input_tokens");
    run_.total_output_tokens = count("total_output_tokens");
    run_.max_concurrency = count("max_concurrency");
    if (!run_.max_concurrency) run_.max_concurrency = count("conc");
    run_.request_rate = number("request_rate", true);
    run_.burstiness = number("burstiness", false);
    run_.duration_s = number("duration", false);
    for (const auto& [key, value] : document_.values) {
      if (!used(key)) other(key, value);
    }
    for (const auto& [key, shown] : document_.lists) list(key, shown);
    for (const auto& [tools, ours] : kServeLatencies) {
      const auto p50 = run_.metric(fmt::format("p50_{}_ms", ours));
      if (p50) run_.metrics.emplace(fmt::format("median_{}_ms", ours), *p50);
    }
    return std::move(run_);
  }

 private:
  bool used(std::string_view key) const { return std::ranges::find(used_, key) != used_.end(); }
  void invalid(std::string_view key, const Value& value, std::string problem) {
    run_.findings.push_back({Weight::invalid, std::string(key), value.text, std::move(problem)});
  }
  const Value* take(std::string_view key) {
    used_.push_back(key);
    const Value* value = document_.find(key);
    return value == nullptr || value->kind == Value::Kind::null ? nullptr : value;
  }
  std::string text(std::string_view key) {
    const Value* value = take(key);
    if (value == nullptr) return {};
    if (value->kind != Value::Kind::text) invalid(key, *value, "not a text");
    return value->text;
  }
  std::optional<std::uint64_t> count(std::string_view key) {
    const Value* value = take(key);
    if (value == nullptr) return {};
    const bool whole = value->kind == Value::Kind::number && value->number >= 0 && value->number < 0x1p53 &&
                       value->number == std::floor(value->number);
    if (whole) return static_cast<std::uint64_t>(value->number);
    invalid(key, *value, "not a whole number from 0 to 2^53");
    return {};
  }
  std::optional<double> number(std::string_view key, bool may_be_infinite) {
    const Value* value = take(key);
    if (value == nullptr) return {};
    if (value->kind == Value::Kind::number) return value->number;
    if (may_be_infinite && (value->text == "inf" || value->text == "Infinity")) return kInfinity;
    invalid(key, *value, "not a finite number");
    return {};
  }
  void metric(std::string_view key, const Value& value, std::string name, double factor) {
    if (value.kind == Value::Kind::null) return;
    const double number = value.number * factor;
    if (value.kind != Value::Kind::number || !std::isfinite(number)) {
      return invalid(key, value, "not a finite number");
    }
    run_.metrics.insert_or_assign(std::move(name), number);
  }
  void other(const std::string& key, const Value& value) {
    if (const auto latency = metric_key(key)) return metric(key, value, latency->name, latency->factor);
    const auto known =
        std::ranges::find(kServeNumbers, key, &std::pair<std::string_view, std::string_view>::first);
    if (known != kServeNumbers.end()) return metric(key, value, std::string(known->second), 1);
    const bool own_number =
        key.starts_with("spec_decode_") || key.starts_with("probe_") || key.ends_with("_intvty");
    if (own_number && value.kind == Value::Kind::number) return metric(key, value, key, 1);
    if (value.kind == Value::Kind::null) return;
    if (const std::size_t end = key.find('.'); end != std::string::npos) {
      return part(std::string_view(key).substr(0, end), key, value);
    }
    if (key.find('[') != std::string::npos) return;
    run_.tags.emplace(key, value.text);
  }

  // Is it a key that a run needs as a number or a text?
  bool needed(std::string_view key) const {
    return used(key) || metric_key(key) || std::ranges::find(kRuleTags, key) != kRuleTags.end() ||
           std::ranges::find(kServeNumbers, key, &std::pair<std::string_view, std::string_view>::first) !=
               kServeNumbers.end();
  }
  void list(const std::string& key, const std::string& shown) {
    if (key.find_first_of(".[") != std::string::npos) return;
    if (needed(key)) {
      run_.findings.push_back({Weight::invalid, key, shown, "a list, where one value belongs"});
    } else if (std::ranges::find(kServeLists, key) == kServeLists.end()) {
      run_.findings.push_back({Weight::note, key, shown, "a list: it is not read"});
    }
  }
  // A value inside an object; one finding an object.
  void part(std::string_view object, const std::string& key, const Value& value) {
    if (object == last_object_ || !needed(object)) return;
    last_object_ = object;
    invalid(key, value, "in an object, where one value belongs");
  }

  Document& document_;
  Run run_;
  std::vector<std::string_view> used_;
  std::string last_object_;
};

}  // namespace

std::optional<MetricKey> metric_key(std::string_view key) {
  const std::size_t end = key.find('_');
  if (end == std::string_view::npos) return {};
  const std::string_view statistic = key.substr(0, end);
  std::string_view rest = key.substr(end + 1);
  if (!Statistic::named(statistic)) return {};
  const bool milliseconds = rest.ends_with("_ms");
  if (milliseconds) rest.remove_suffix(3);
  for (const auto& [tools, ours] : kServeLatencies) {
    if (rest == tools)
      return MetricKey{fmt::format("{}_{}_ms", statistic, ours), milliseconds ? 1.0 : 1000.0};
  }
  return {};
}

std::optional<Form> recognise(const Document& document) {
  if (document.has("metadata.request_start_ns")) return Form::aiperf_record;
  if (document.has("results[0].batch_size") && document.has("results[0].mode")) return Form::iterations;
  for (const char* block : {"time_to_first_token", "request_latency", "request_throughput"}) {
    for (const char* of : {"", "metrics."}) {
      if (document.has(fmt::format("{}{}.unit", of, block))) return Form::aiperf;
    }
  }
  if (document.has("num_prompts") && document.has("completed")) return Form::serve;
  bool sidecar = false;
  for (const auto& [path, value] : document.values) {
    if (metric_key(path)) return Form::serve;
    const std::string_view first = std::string_view(path).substr(0, path.find('.'));
    sidecar = sidecar || std::ranges::find(kOfSidecar, first) != kOfSidecar.end();
  }
  if (sidecar) return Form::split;
  return {};
}

Run read_serve(Document&& document) {
  const Tool tool = tool_of(document);
  Run run = ServeReader(document, tool).run();
  run.detailed = read_detailed(std::move(document), run.findings);
  return run;
}

}  // namespace pageproof::results
