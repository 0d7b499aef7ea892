// AIPerf and GenAI-Perf: blocks of statistics, each with its unit, which alone says what the numbers are; and
// profile_export.jsonl, one record a request.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "reports/results/forms.hpp"
#include "reports/results/statistics.hpp"

namespace pageproof::results {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAiperfLatencies{
    {{"time_to_first_token", "ttft"},
     {"inter_token_latency", "tpot"},  // of a request: its mean, which vLLM calls TPOT
     {"inter_chunk_latency", "itl"},
     {"request_latency", "e2el"}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAiperfRates{
    {{"request_throughput", "request_throughput"},
     {"output_token_throughput", "output_throughput"},
     {"total_token_throughput", "total_token_throughput"},
     {"goodput", "request_goodput"}}};

// Factor from a unit to milliseconds; nullopt: no unit of time.
std::optional<double> to_ms(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits{{{"ms", 1.0},
                                                                       {"s", 1e3},
                                                                       {"sec", 1e3},
                                                                       {"seconds", 1e3},
                                                                       {"us", 1e-3},
                                                                       {"µs", 1e-3},
                                                                       {"ns", 1e-6},
                                                                       {"milliseconds", 1.0}}};
  const auto found = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (found == kUnits.end()) return {};
  return found->second;
}

constexpr std::size_t kMostProblems = 8;  // of one file's records

class AiperfReader {
 public:
  explicit AiperfReader(const Document& document) : document_(document) {}

  Run run() {
    const bool aggregate = document_.has("time_to_first_token.ci_low") ||
                           document_.has("request_latency.ci_low") ||
                           document_.has("metrics.time_to_first_token.ci_low");
    run_.tool = aggregate ? Tool::aiperf_aggregate : Tool::aiperf;
    run_.date = document_.text("end_time");
    for (const auto& [tools, ours] : kAiperfLatencies) latency(std::string(tools), std::string(ours));
    for (const auto& [tools, ours] : kAiperfRates) {
      if (const auto value = number(fmt::format("{}.avg", tools))) run_.metrics.emplace(ours, *value);
    }
    run_.completed = count("request_count.avg");
    run_.failed = count("error_request_count.avg");
    if (run_.completed) run_.num_prompts = *run_.completed + run_.failed.value_or(0);
    run_.total_output_tokens = tokens("output_sequence_length", "total_output_tokens");
    run_.total_input_tokens = tokens("input_sequence_length", "total_isl");
    if (const auto duration = number("benchmark_duration.avg")) {
      const auto factor = to_ms(document_.text("benchmark_duration.unit"));
      run_.duration_s = *duration * factor.value_or(1000) / 1000;
    }
    settings();
    if (aggregate) {
      run_.findings.push_back({Weight::invalid, "ci_low", "", "means over repeats: no repeat itself"});
    }
    const Value* cancelled = document_.find("was_cancelled");
    if (cancelled != nullptr && cancelled->number != 0) {
      run_.findings.push_back(
          {Weight::invalid, "was_cancelled", "true", "the run was stopped before its end"});
    }
    return std::move(run_);
  }

 private:
  std::optional<double> number(const std::string& path) {
    if (const auto list = document_.lists.find(path); list != document_.lists.end()) {
      run_.findings.push_back({Weight::invalid, path, list->second, "a list, where a number belongs"});
    }
    const Value* value = document_.find(path);
    if (value == nullptr || value->kind == Value::Kind::null) return {};
    if (value->kind == Value::Kind::number) return value->number;
    run_.findings.push_back({Weight::invalid, path, value->text, "not a finite number"});
    return {};
  }
  std::optional<std::uint64_t> count(const std::string& path) {
    const auto value = number(path);
    if (!value) return {};
    if (*value >= 0 && *value < 0x1p53 && *value == std::floor(*value))
      return static_cast<std::uint64_t>(*value);
    run_.findings.push_back(
        {Weight::invalid, path, fmt::format("{}", *value), "not a whole number from 0 to 2^53"});
    return {};
  }
  std::optional<std::uint64_t> tokens(const std::string& length, const std::string& total) {
    if (document_.has(length + ".sum")) return count(length + ".sum");
    return count(total + ".avg");
  }
  void latency(const std::string& tools, const std::string& ours) {
    const std::string unit = document_.text(tools + ".unit");
    const auto factor = to_ms(unit);
    for (auto at = document_.values.lower_bound(tools + "."); at != document_.values.end(); ++at) {
      if (!at->first.starts_with(tools + ".")) break;
      std::string name = at->first.substr(tools.size() + 1);
      if (name == "avg") name = "mean";
      const auto statistic = Statistic::named(name);
      if (!statistic) continue;
      const auto value = number(at->first);
      if (!value) continue;
      if (!factor) {
        run_.findings.push_back({Weight::invalid, tools + ".unit", unit, "no unit of time that is known"});
        return;
      }
      double ms = *value * *factor;
      const auto n = document_.number_at(tools + ".count");
      if (name == "std" && n && *n > 1) ms *= std::sqrt((*n - 1) / *n);  // written of a sample
      run_.metrics.insert_or_assign(fmt::format("{}_{}_ms", name, ours), ms);
      if (name == "p50") run_.metrics.insert_or_assign(fmt::format("median_{}_ms", ours), ms);
    }
  }
  // What was asked of the tool: everything that a sweep varied, and the load.
  void settings() {
    constexpr std::string_view kVaried = "run_info.variation_values.";
    if (document_.has("run_info.trial"))
      run_.tags.emplace("run_number", document_.find("run_info.trial")->text);
    for (const auto& [path, value] : document_.values) {
      const bool varied = path.starts_with(kVaried);
      if (varied) run_.tags.emplace(path.substr(kVaried.size()), value.text);
      if (!varied && !path.starts_with("input_config.")) continue;
      const std::string key = path.substr(path.rfind('.') + 1);
      if (value.kind != Value::Kind::number) continue;
      if (key == "concurrency" && !run_.max_concurrency && value.number >= 0 && value.number < 0x1p53) {
        run_.max_concurrency = static_cast<std::uint64_t>(value.number);
      }
      if (key == "request_rate" && !run_.request_rate) run_.request_rate = value.number;
    }
  }

  const Document& document_;
  Run run_;
};

}  // namespace

Run read_aiperf(const Document& document) {
  return AiperfReader(document).run();
}

void AiperfRecords::add(const Document& record) {
  const std::string phase = record.text("metadata.benchmark_phase");
  if (!phase.empty() && phase != "profiling") {
    ++warmups_;
    return;
  }
  ++records_;
  const auto problem = [&](std::string field, std::string value, std::string what) {
    if (run_.findings.size() == kMostProblems) return;
    run_.findings.push_back({Weight::invalid, fmt::format("record {} {}", record.number, field),
                             std::move(value), std::move(what)});
  };
  // In seconds, from a metric with its unit.
  const auto seconds = [&](const std::string& name) -> std::optional<double> {
    const auto value = record.number_at("metrics." + name + ".value");
    if (!value) return {};
    const std::string unit = record.text("metrics." + name + ".unit");
    const auto factor = to_ms(unit);
    const double in_s = *value * factor.value_or(1) / 1000;
    if (factor && in_s >= 0 && in_s <= kMostSeconds) return in_s;
    problem("metrics." + name, factor ? record.find("metrics." + name + ".value")->text : unit,
            factor ? "no time" : "no unit of time that is known");
    return {};
  };
  const auto tokens = [&](const std::string& name) -> std::uint32_t {
    const auto value = record.number_at("metrics." + name + ".value");
    if (!value) return 0;
    if (*value >= 0 && *value <= kMostTokens) return static_cast<std::uint32_t>(*value);
    problem("metrics." + name, fmt::format("{}", *value), "no count of tokens");
    return 0;
  };
  const bool cancelled =
      record.has("metadata.was_cancelled") && record.find("metadata.was_cancelled")->number != 0;
  const bool error = record.has("error.code") || record.has("error.type") || record.has("error.message");
  const auto ttft = seconds("time_to_first_token");
  const auto latency = seconds("request_latency");
  const bool succeeded = !error && !cancelled && ttft && latency;
  const double start_ns = record.number_at("metadata.request_start_ns").value_or(0);
  if (!origin_ns_) origin_ns_ = start_ns;

  detailed_.start_s.push_back((start_ns - *origin_ns_) / 1e9);
  detailed_.ttft_s.push_back(succeeded ? *ttft : 0);
  detailed_.latency_s.push_back(succeeded ? *latency : 0);
  detailed_.input_tokens.push_back(tokens("input_sequence_length"));
  detailed_.output_tokens.push_back(tokens("output_sequence_length"));
  detailed_.succeeded.push_back(succeeded ? 1 : 0);
  detailed_.gap_begin.push_back(detailed_.gaps_s.size());
  end_s_ = std::max(end_s_, detailed_.start_s.back() + detailed_.latency_s.back());
  const auto gaps = record.columns.find("metrics.inter_chunk_latency.value");
  if (!succeeded || gaps == record.columns.end()) return;
  const double factor = to_ms(record.text("metrics.inter_chunk_latency.unit")).value_or(1) / 1000;
  for (const double gap : gaps->second.values) {
    const bool time = gap >= 0 && gap * factor <= kMostSeconds && gaps->second.texts == 0;
    if (!time) return problem("metrics.inter_chunk_latency", fmt::format("{}", gap), "no time");
    detailed_.gaps_s.push_back(gap * factor);
  }
}

Run AiperfRecords::run() && {
  run_.tool = Tool::aiperf_records;
  const double first = std::ranges::min(detailed_.start_s);
  for (double& start : detailed_.start_s) start -= first;
  run_.duration_s = end_s_ - first;
  finish(detailed_);
  run_.detailed = std::move(detailed_);
  if (warmups_ != 0) {
    run_.findings.push_back({Weight::note, "benchmark_phase", fmt::format("{} records", warmups_),
                             "not of the profiled phase: left out"});
  }
  return std::move(run_);
}

}  // namespace pageproof::results
