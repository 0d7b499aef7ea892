// The forms that tools write, each with its reader: a document in, a run out. A form is recognised by keys
// that no other has, never by the file's name.
#pragma once

#include <optional>
#include <string_view>

#include "reports/results/document.hpp"
#include "reports/results/run.hpp"

namespace pageproof::results {

// vllm bench serve and sweep, SGLang's bench_serving and InferenceX: one family of keys. Takes the columns.
Run read_serve(Document&& document, Tool tool);

// A key of that family: "p99_ttft_ms", "mean_e2e_latency_ms", or in seconds "median_tpot".
struct MetricKey {
  std::string name;   // "p99_ttft_ms"
  double factor = 1;  // to milliseconds
};
std::optional<MetricKey> metric_key(std::string_view key);

// The tool that wrote it; nullopt: none that is known.
std::optional<Tool> recognise(const Document& document);

}  // namespace pageproof::results
