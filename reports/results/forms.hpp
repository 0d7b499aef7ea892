// The forms that tools write, each with its reader: a document in, a run out. A form is recognised by keys
// that no other has, never by the file's name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/results/document.hpp"
#include "reports/results/run.hpp"

namespace pageproof::results {

enum class Form : std::uint8_t {
  serve,          // vllm bench serve and sweep, SGLang, InferenceX: one family of keys
  iterations,     // vllm bench iterations: a list of step times
  aiperf,         // blocks of statistics with their unit
  aiperf_record,  // one request
  split,          // the sidecar
};
// nullopt: no form that is known.
std::optional<Form> recognise(const Document& document);

Run read_serve(Document&& document);
Run read_aiperf(const Document& document);
std::vector<Run> read_iterations(const Document& document);  // one a result
// Refuses an unknown key, a value of another type, a negative or infinite number. `runs`: the file name that
// the sidecar is for; empty: all of its folder.
struct Sidecar {
  Split split = {};
  std::string run = {};
};
Expected<Sidecar> read_split(const Document& document, const std::string& source);

// The lines "KV Transfer metrics: ..." of a vLLM log, taken together: means weighted by transfers. What
// cannot be read of a line goes to `refused`. nullopt: no such line.
std::optional<Split> read_nixl_log(std::string_view text, const std::string& source,
                                   std::vector<Error>& refused);

// Requests, record after record.
class AiperfRecords {
 public:
  void add(const Document& record);
  bool empty() const { return records_ == 0; }
  // Whole run: arrays, counts and duration; metrics are left to compare_with_arrays.
  Run run() &&;

 private:
  Run run_ = {};
  Detailed detailed_ = {};
  std::size_t records_ = 0;
  std::size_t warmups_ = 0;
  std::optional<double> origin_ns_ = {};
  double end_s_ = 0;
};

// A key of the serve family: "p99_ttft_ms", "mean_e2e_latency_ms", or in seconds "median_tpot".
struct MetricKey {
  std::string name;   // "p99_ttft_ms"
  double factor = 1;  // to milliseconds
};
std::optional<MetricKey> metric_key(std::string_view key);

// The columns of a document as requests; nullopt where it has none. Findings: unequal lengths, entries that
// are no finite times or whole token counts.
std::optional<Detailed> read_detailed(Document&& document, std::vector<Finding>& findings);
// As read_detailed leaves them, of arrays from elsewhere: latency where it is missing, the offsets' end.
void finish(Detailed& detailed);

// Longest time and largest token count that an entry may have; more is no measurement.
inline constexpr double kMostSeconds = 1e9;
inline constexpr double kMostTokens = 4e9;

}  // namespace pageproof::results
