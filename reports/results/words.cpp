#include "reports/results/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/results/client.hpp"
#include "reports/results/goodput.hpp"

namespace pageproof::results {
namespace {

using nlohmann::ordered_json;

template <class T>
void put(ordered_json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

ordered_json json_of(const GapGroup& group) {
  return {
      {"count", group.count}, {"mean_ms", group.mean_ms}, {"p50_ms", group.p50_ms}, {"p99_ms", group.p99_ms}};
}

ordered_json json_of(const Spread& spread) {
  ordered_json json = ordered_json::object();
  put(json, "mean", spread.mean);
  put(json, "p50", spread.p50);
  put(json, "p99", spread.p99);
  return json;
}

ordered_json json_of(const Split& split) {
  ordered_json json = {{"source", split.source}};
  json["prefill_ms"] = json_of(split.prefill_ms);
  json["transfer_ms"] = json_of(split.transfer_ms);
  json["convert_ms"] = json_of(split.convert_ms);
  json["decode_first_step_ms"] = json_of(split.first_step_ms);
  if (!split.decode_kernel.empty()) json["decode_kernel"] = split.decode_kernel;
  put(json, "effective_batch_mean", split.effective_batch_mean);
  put(json, "effective_batch_p10", split.effective_batch_p10);
  put(json, "transfers", split.transfers);
  put(json, "post_ms_mean", split.post_ms_mean);
  put(json, "mebibytes_mean", split.mebibytes_mean);
  put(json, "descriptors_mean", split.descriptors_mean);
  return json;
}

ordered_json json_of(const std::vector<Error>& errors) {
  ordered_json json = ordered_json::array();
  for (const Error& error : errors) json.push_back(to_string(error));
  return json;
}

// "TTFT 55.7", or a dash of the same width.
std::string column(const Run& run, const char* metric, int width) {
  const auto value = run.metric(metric);
  return value ? fmt::format("{:>{}.{}f}", *value, width, *value < 1000 ? 2 : 0)
               : fmt::format("{:>{}}", "-", width);
}

std::string batch_text(const Run& run) {
  if (run.batch) return fmt::format("{:.1f}", run.batch->mean);
  if (const auto batch = decode_batch_by_rate(run)) return fmt::format("~{:.1f}", *batch);
  return "-";
}

}  // namespace

ordered_json json_of(const Run& run) {
  ordered_json json = {{"source", run.source}, {"tool", to_string(run.tool)}, {"valid", run.valid()}};
  json["date"] = run.date;
  json["model_id"] = run.model_id;
  json["tags"] = run.tags;
  put(json, "num_prompts", run.num_prompts);
  put(json, "completed", run.completed);
  put(json, "failed", run.failed);
  put(json, "total_input_tokens", run.total_input_tokens);
  put(json, "total_output_tokens", run.total_output_tokens);
  if (run.request_rate) {
    json["request_rate"] =
        std::isinf(*run.request_rate) ? ordered_json("inf") : ordered_json(*run.request_rate);
  }
  put(json, "burstiness", run.burstiness);
  put(json, "max_concurrency", run.max_concurrency);
  put(json, "duration_s", run.duration_s);
  json["metrics"] = run.metrics;
  if (run.batch) {
    json["decode_batch"] = {{"seconds", run.batch->seconds},
                            {"mean", run.batch->mean},
                            {"p10", run.batch->p10},
                            {"median", run.batch->median},
                            {"most", run.batch->most}};
  }
  if (run.gaps) {
    json["gaps"] = {{"step_ms", run.gaps->step_ms},
                    {"clean", json_of(run.gaps->clean)},
                    {"interfered", json_of(run.gaps->interfered)}};
  }
  if (run.goodput) {
    json["goodput"] = {{"objectives_ms", to_string(run.goodput->objectives)},
                       {"good_requests", run.goodput->good},
                       {"requests_per_s", run.goodput->per_s}};
  }
  if (run.split) json["split"] = json_of(*run.split);
  json["findings"] = ordered_json::array();
  for (const Finding& finding : run.findings) {
    json["findings"].push_back({{"weight", to_string(finding.weight)},
                                {"field", finding.field},
                                {"value", finding.value},
                                {"problem", finding.problem}});
  }
  return json;
}

ordered_json json_of(const Results& results) {
  ordered_json json = {{"runs", ordered_json::array()}};
  for (const Run& run : results.runs) json["runs"].push_back(json_of(run));
  json["left_out"] = json_of(results.left_out);
  json["refused"] = json_of(results.refused);
  return json;
}

std::string text_of(const Results& results) {
  std::string text = fmt::format("{:<9} {:>10} {:>10} {:>10} {:>10} {:>10} {:>7}  {}\n", "", "TTFT p50",
                                 "TPOT p50", "ITL p50", "ITL p99", "output", "decode", "tool, tags and file");
  text += fmt::format("{:<9} {:>10} {:>10} {:>10} {:>10} {:>10} {:>7}\n", "", "ms", "ms", "ms", "ms",
                      "tokens/s", "batch");
  for (const Run& run : results.runs) {
    text += fmt::format("{:<9} {} {} {} {} {} {:>7}  {}", run.valid() ? "valid" : "INVALID",
                        column(run, "median_ttft_ms", 10), column(run, "median_tpot_ms", 10),
                        column(run, "median_itl_ms", 10), column(run, "p99_itl_ms", 10),
                        column(run, "output_throughput", 10), batch_text(run), to_string(run.tool));
    for (const char* tag : {"setup", "model", "workload", "isl", "osl", "pd", "kernel", "run_number"}) {
      if (!run.tag(tag).empty()) text += fmt::format(" {}={}", tag, printable(run.tag(tag)));
    }
    text += fmt::format("  {}\n", printable(run.source));
    if (run.goodput) {
      text += fmt::format("          goodput for {} (ms): {:.3f} requests/s, of {} good requests\n",
                          to_string(run.goodput->objectives), run.goodput->per_s, run.goodput->good);
    }
    for (const Finding& finding : run.findings) {
      text += fmt::format("          {}: {}\n", to_string(finding.weight),
                          to_string(Error{finding.field, "", finding.value, finding.problem}));
    }
  }
  if (!results.left_out.empty()) text += "\nLeft out\n";
  for (const Error& error : results.left_out) text += fmt::format("  {}\n", to_string(error));
  const auto valid = std::ranges::count_if(results.runs, &Run::valid);
  text += fmt::format("\nRuns: {}, of them valid: {}; files left out: {}, refused: {}.\n",
                      results.runs.size(), valid, results.left_out.size(), results.refused.size());
  text += "Decode batch: over time, or ~ as output rate x TPOT.\n";
  return text;
}

}  // namespace pageproof::results
