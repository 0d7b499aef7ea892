// What lies beside result files: step times of `vllm bench iterations`, the sidecar split.json, a vLLM log.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "reports/results/forms.hpp"

namespace pageproof::results {
namespace {

std::string name_and_index(std::size_t i) {
  return fmt::format("results[{}].", i);
}

// The number behind `key=` in a log line; nullopt where the key is missing, and an error where it has no
// number.
std::optional<double> number_after(std::string_view line, std::string_view key,
                                   std::optional<std::string>& wrong) {
  const std::size_t found = line.find(key);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = line.substr(found + key.size());
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error == std::errc{} && std::isfinite(value) && value >= 0 && value < 1e9) return value;
  wrong = fmt::format("{}{}", key, rest.substr(0, std::min<std::size_t>(rest.find_first_of(", \r\n"), 40)));
  return {};
}

struct WeightedMean {
  double sum = 0;
  double weight = 0;
  void add(std::optional<double> value, double of) {
    if (!value) return;
    sum += *value * of;
    weight += of;
  }
  std::optional<double> value() const {
    if (weight == 0) return {};
    return sum / weight;
  }
};

}  // namespace

std::vector<Run> read_iterations(const Document& document) {
  std::vector<Run> runs;
  for (std::size_t i = 0; document.has(name_and_index(i) + "batch_size"); ++i) {
    const std::string prefix = name_and_index(i);
    Run run{.tool = Tool::vllm_iterations, .date = document.text("timestamp")};
    for (const char* key : {"mode", "context_len", "input_len", "batch_size", "iteration"}) {
      if (const Value* value = document.find(prefix + key)) run.tags.emplace(key, value->text);
    }
    // Their first versions had one clock and no prefix.
    constexpr std::array<std::pair<const char*, const char*>, 6> kTimes{
        {{"latency_per_iter_ms", "server_latency_per_iter_ms"},
         {"total_latency_ms", "server_total_latency_ms"},
         {"server_latency_per_iter_ms", "server_latency_per_iter_ms"},
         {"server_total_latency_ms", "server_total_latency_ms"},
         {"client_latency_per_iter_ms", "client_latency_per_iter_ms"},
         {"client_total_latency_ms", "client_total_latency_ms"}}};
    for (const auto& [key, name] : kTimes) {
      const Value* value = document.find(prefix + key);
      if (value == nullptr) continue;
      if (value->kind == Value::Kind::number && std::isfinite(value->number)) {
        run.metrics.insert_or_assign(name, value->number);
      } else {
        run.findings.push_back({Weight::invalid, prefix + key, value->text, "not a finite number"});
      }
    }
    const auto step = run.metric("server_latency_per_iter_ms");
    if (!step || *step <= 0) {
      run.findings.push_back({Weight::invalid, prefix + "server_latency_per_iter_ms",
                              step ? fmt::format("{}", *step) : "", "no time of a step"});
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

Expected<Sidecar> read_split(const Document& document, const std::string& source) {
  Sidecar sidecar{.split = {.source = source}};
  Split& split = sidecar.split;
  struct Place {
    std::string_view path;
    std::optional<double>* number;
  };
  const std::array<Place, 18> places{{{"prefill_ms", &split.prefill_ms.mean},
                                      {"prefill_ms.mean", &split.prefill_ms.mean},
                                      {"prefill_ms.p50", &split.prefill_ms.p50},
                                      {"prefill_ms.p99", &split.prefill_ms.p99},
                                      {"transfer_ms", &split.transfer_ms.mean},
                                      {"transfer_ms.mean", &split.transfer_ms.mean},
                                      {"transfer_ms.p50", &split.transfer_ms.p50},
                                      {"transfer_ms.p99", &split.transfer_ms.p99},
                                      {"convert_ms", &split.convert_ms.mean},
                                      {"convert_ms.mean", &split.convert_ms.mean},
                                      {"convert_ms.p50", &split.convert_ms.p50},
                                      {"convert_ms.p99", &split.convert_ms.p99},
                                      {"decode_first_step_ms", &split.first_step_ms.mean},
                                      {"decode_first_step_ms.mean", &split.first_step_ms.mean},
                                      {"decode_first_step_ms.p50", &split.first_step_ms.p50},
                                      {"decode_first_step_ms.p99", &split.first_step_ms.p99},
                                      {"effective_batch.mean", &split.effective_batch_mean},
                                      {"effective_batch.p10", &split.effective_batch_p10}}};
  std::optional<double> requests;
  for (const auto& [path, value] : document.values) {
    const auto refuse = [&](std::string problem) {
      return std::unexpected(Error{source, path, value.text, std::move(problem)});
    };
    if (value.kind == Value::Kind::null) continue;
    if (path == "run" || path == "decode_kernel") {
      if (value.kind != Value::Kind::text || value.text.empty()) return refuse("expected a text");
      (path == "run" ? sidecar.run : split.decode_kernel) = value.text;
      continue;
    }
    std::optional<double>* number = path == "n" ? &requests : nullptr;
    for (const Place& place : places) {
      if (path == place.path || (path == "effective_batch" && place.path == "effective_batch.mean")) {
        number = place.number;
      }
    }
    if (number == nullptr) return refuse("no such key in a sidecar");
    const bool fits = value.kind == Value::Kind::number && value.number >= 0 && value.number <= 1e12;
    if (!fits) return refuse("expected a number from 0 to 1e12");
    *number = value.number;
  }
  return sidecar;
}

std::optional<Split> read_nixl_log(std::string_view text, const std::string& source,
                                   std::vector<Error>& refused) {
  constexpr std::string_view kMark = "KV Transfer metrics:";
  constexpr std::size_t kMostRefusals = 8;
  constexpr std::size_t kLongestLine = 1024;
  std::size_t refusals = 0;
  double transfers = 0;
  WeightedMean transfer_ms;
  WeightedMean post_ms;
  WeightedMean mebibytes;
  WeightedMean descriptors;
  bool any = false;
  std::size_t line_number = 1;
  std::size_t counted_to = 0;
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1)) {
    std::string_view line = text.substr(at, kLongestLine);
    line = line.substr(0, line.find('\n'));
    for (; counted_to < at; ++counted_to) line_number += text[counted_to] == '\n' ? 1 : 0;
    std::optional<std::string> wrong;
    const auto count = number_after(line, "Num successful transfers=", wrong);
    const auto xfer = number_after(line, "Avg xfer time (ms)=", wrong);
    const auto post = number_after(line, "Avg post time (ms)=", wrong);
    const auto size = number_after(line, "Avg MB per transfer=", wrong);
    const auto descs = number_after(line, "Avg number of descriptors=", wrong);
    if (wrong || !count) {
      if (++refusals > kMostRefusals) break;
      refused.push_back(Error{fmt::format("{}: line {}", source, line_number), "KV Transfer metrics",
                              wrong.value_or(""), wrong ? "not a number" : "no number of transfers"});
      continue;
    }
    any = true;
    transfers += *count;
    transfer_ms.add(xfer, *count);
    post_ms.add(post, *count);
    mebibytes.add(size, *count);
    descriptors.add(descs, *count);
  }
  if (!any) return {};
  return Split{.source = source,
               .transfer_ms = {.mean = transfer_ms.value()},
               .transfers = static_cast<std::uint64_t>(transfers),
               .post_ms_mean = post_ms.value(),
               .mebibytes_mean = mebibytes.value(),
               .descriptors_mean = descriptors.value()};
}

}  // namespace pageproof::results
