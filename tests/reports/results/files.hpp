// Result files as tests write them: a good one, to be changed where a test needs it.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/results/read.hpp"

namespace pageproof::results {

// 64 requests of 1000 tokens in and 101 out, 16 at a time: TTFT 100 ms, TPOT 10 ms, so 1.1 s each.
inline nlohmann::ordered_json good_run() {
  return {{"date", "20260816-160853"},
          {"backend", "vllm"},
          {"model_id", "some/model"},
          {"tokenizer_id", "some/model"},
          {"num_prompts", 64},
          {"request_rate", "inf"},
          {"burstiness", 1.0},
          {"max_concurrency", 16},
          {"duration", 4.5},
          {"completed", 64},
          {"failed", 0},
          {"total_input_tokens", 64000},
          {"total_output_tokens", 6464},
          {"request_throughput", 64 / 4.5},
          {"request_goodput", nullptr},
          {"output_throughput", 6464 / 4.5},
          {"total_token_throughput", 70464 / 4.5},
          {"mean_ttft_ms", 100.0},
          {"median_ttft_ms", 99.0},
          {"std_ttft_ms", 3.0},
          {"p99_ttft_ms", 130.0},
          {"mean_tpot_ms", 10.0},
          {"median_tpot_ms", 9.9},
          {"std_tpot_ms", 0.5},
          {"p99_tpot_ms", 12.0},
          {"mean_itl_ms", 10.0},
          {"median_itl_ms", 9.8},
          {"std_itl_ms", 0.6},
          {"p99_itl_ms", 14.0}};
}

inline nlohmann::ordered_json changed(nlohmann::ordered_json run, const nlohmann::ordered_json& changes) {
  for (const auto& [key, value] : changes.items()) {
    if (value == "REMOVED") {
      run.erase(key);
    } else {
      run[key] = value;
    }
  }
  return run;
}

inline Results read_text(const std::string& text, const std::string& path = "run.json",
                         const Mapping& mapping = {}, const ReadOptions& options = {}) {
  const NamedText named{path, text};
  return read_texts({&named, 1}, mapping, options);
}

// "invalid mean_ttft_ms NaN not a finite number", one a finding, in order.
inline std::vector<std::string> said(const Run& run) {
  std::vector<std::string> all;
  for (const Finding& finding : run.findings) {
    all.push_back(
        fmt::format("{} {} {} {}", to_string(finding.weight), finding.field, finding.value, finding.problem));
  }
  return all;
}

inline std::vector<std::string> lines(const std::vector<Error>& errors) {
  std::vector<std::string> all;
  for (const Error& error : errors) all.push_back(to_string(error));
  return all;
}

}  // namespace pageproof::results
