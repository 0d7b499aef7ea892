// A run: one benchmark of one setup under one load, as the file of any tool tells it. Names and units are the
// same whatever the tool: latencies of `metrics` in milliseconds, rates per second, `Detailed` in seconds (as
// the tools that write arrays write them). What is wrong with a run is a list of findings in it, not a reason
// to lose it. Which file gives what: docs/results.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::results {

enum class Tool : std::uint8_t {
  vllm_serve,          // vllm bench serve
  vllm_sweep,          // vllm bench sweep serve: one run=N.json
  vllm_iterations,     // vllm bench iterations: step times, no requests
  sglang,              // sglang.bench_serving
  aiperf,              // AIPerf and GenAI-Perf, the export of a run
  aiperf_aggregate,    // AIPerf over several runs: means of repeats, itself no repeat
  aiperf_records,      // AIPerf, one record a request
  inferencex,          // InferenceX: seconds, keys without _ms
  inferencex_summary,  // InferenceX agg_*.json: the same, with hardware and parallelism
};
std::string_view to_string(Tool tool);  // "vllm bench serve", ...

// What a finding does to the run.
enum class Weight : std::uint8_t {
  note,          // worth knowing
  disagreement,  // the file contradicts itself; of a metric the arrays are right, and are used
  invalid,       // the run must not be judged
};
std::string_view to_string(Weight weight);

struct Finding {
  Weight weight = Weight::note;
  std::string field = {};  // the file's own key, as "mean_tpot_ms"
  std::string value = {};  // as it was found
  std::string problem = {};

  bool operator==(const Finding&) const = default;
};

// The requests of a run, failed ones among them, in the order of the file. All vectors of one entry a request
// are equally long, or empty where the file has none.
struct Detailed {
  std::vector<double> start_s = {};  // a client's clock: only differences mean anything
  std::vector<double> ttft_s = {};
  std::vector<double> latency_s = {};  // whole request; the file's, or ttft and all gaps added
  std::vector<std::uint32_t> input_tokens = {};
  std::vector<std::uint32_t> output_tokens = {};
  std::vector<std::uint8_t> succeeded = {};  // 0 or 1
  std::vector<double> gaps_s = {};           // between streamed chunks, request after request
  std::vector<std::size_t> gap_begin = {};   // requests + 1 offsets into gaps_s

  std::size_t requests() const { return ttft_s.size(); }
  std::span<const double> gaps_of(std::size_t request) const {
    return std::span(gaps_s).subspan(gap_begin[request], gap_begin[request + 1] - gap_begin[request]);
  }
};

// Requests that a decoder ran at once, over time.
struct DecodeBatch {
  double seconds = 0;  // the time that it is taken over
  double mean = 0;
  std::size_t p10 = 0;  // a tenth of the time there were no more than these
  std::size_t median = 0;
  std::size_t most = 0;
};

struct GapGroup {
  std::size_t count = 0;
  double mean_ms = 0;
  double p50_ms = 0;
  double p99_ms = 0;
};
struct GapSplit {
  double step_ms = 0;  // how long after a gap another request's first token still counts as in it
  GapGroup clean = {};
  GapGroup interfered = {};
  std::size_t arrivals = 0;  // first tokens of others, counted once for each request that ran beside them
};

struct Spread {
  std::optional<double> mean = {};
  std::optional<double> p50 = {};
  std::optional<double> p99 = {};
};

// What no benchmark client sees: from a sidecar split.json, or of a NIXL log (transfer alone).
struct Split {
  std::string source = {};
  Spread prefill_ms = {};
  Spread transfer_ms = {};
  Spread convert_ms = {};
  Spread first_step_ms = {};       // the decoder's first step of the request
  std::string decode_kernel = {};  // as it ran: "asm", "ll4mi", "gluon", "unified"; empty: unknown
  std::optional<double> effective_batch_mean = {};
  std::optional<double> effective_batch_p10 = {};
  // Of a log of NIXL transfers; a mean over its lines weighted by transfers, pooled over ranks.
  std::optional<std::uint64_t> transfers = {};
  std::optional<double> post_ms_mean = {};
  std::optional<double> mebibytes_mean = {};
  std::optional<double> descriptors_mean = {};
};

// What a request must keep to be good, in ms; one that is left out is met.
struct Objectives {
  std::optional<double> ttft_ms = {};
  std::optional<double> tpot_ms = {};
  std::optional<double> e2el_ms = {};
  bool operator==(const Objectives&) const = default;
};
struct Goodput {
  Objectives objectives = {};
  std::size_t good = 0;  // requests
  double per_s = 0;
};

struct Run {
  std::string source = {};  // "file", or "file#3" for the third object of the file
  std::string file = {};    // its path
  std::size_t place = 1;    // of the object in it
  Tool tool = Tool::vllm_serve;
  std::string date = {};  // "20260816-160853", when the run ended; empty: unknown
  // What the file or the mapping says about the run beside the benchmark's own keys: setup, isl, osl,
  // workload, pd, kernel, overridden parameters of a sweep, run_number.
  std::map<std::string, std::string> tags = {};
  std::string model_id = {};
  std::optional<std::uint64_t> num_prompts = {};
  std::optional<std::uint64_t> completed = {};
  std::optional<std::uint64_t> failed = {};
  std::optional<std::uint64_t> total_input_tokens = {};
  std::optional<std::uint64_t> total_output_tokens = {};
  std::optional<double> request_rate = {};  // a second; infinity: all at once
  std::optional<double> burstiness = {};
  std::optional<std::uint64_t> max_concurrency = {};  // nullopt: no limit, or unknown
  std::optional<double> duration_s = {};
  bool simulated = false;  // the file says that no engine ran
  // mean_tpot_ms, median_ttft_ms, std_itl_ms, p99_itl_ms, p99.9_e2el_ms; a second: request_throughput,
  // request_goodput, output_throughput, total_token_throughput, input_throughput. Finite, always. Where the
  // file has arrays and they say another number, that one; the file's own is in the finding.
  std::map<std::string, double> metrics = {};
  std::optional<Detailed> detailed = {};
  bool of_arrays = false;                 // metrics and counts were taken from arrays, kept or not
  std::optional<DecodeBatch> batch = {};  // from the arrays, as is `gaps`: client.hpp
  std::optional<GapSplit> gaps = {};
  std::optional<Split> split = {};
  std::optional<Goodput> goodput = {};  // for ReadOptions::objectives, where there are arrays
  std::string fingerprint = {};         // of the file's own content: fingerprint_of
  std::vector<Finding> findings = {};

  bool valid() const;
  // The first finding that makes it invalid; null where it is valid.
  const Finding* invalid_because() const;
  std::optional<double> metric(std::string_view name) const;
  std::string tag(std::string_view name) const;  // empty: not there
};

}  // namespace pageproof::results
