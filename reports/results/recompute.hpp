// The metrics again, from the arrays of one entry a request, as vLLM's benchmark defines them: of requests
// that succeeded; TPOT of a request is (latency - ttft) / (output tokens - 1), and a request of one output
// token has none; ITL is pooled over all gaps of all requests; goodput counts such a request's TPOT as 0.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/results/run.hpp"

namespace pageproof::results {

struct Series {
  std::vector<double> ttft_ms = {};
  std::vector<double> tpot_ms = {};
  std::vector<double> itl_ms = {};
  std::vector<double> e2el_ms = {};
};
Series series_of(const Detailed& detailed);

// A metric by its name ("p99_itl_ms", "std_ttft_ms"); reorders the series. nullopt: no metric of a series.
std::optional<double> metric_of(Series& series, std::string_view name);

// An objective that is left out is met.
struct Objectives {
  std::optional<double> ttft_ms = {};
  std::optional<double> tpot_ms = {};
  std::optional<double> e2el_ms = {};
};
// Requests that succeeded and meet all (an equal value does).
std::size_t good_requests(const Detailed& detailed, const Objectives& objectives);
double goodput(const Detailed& detailed, const Objectives& objectives, double duration_s);  // a second

// Adds a finding for every metric, count and rate of the run that its own arrays do not give, and the metrics
// mean, median, std, p90 and p99 of TTFT, TPOT, ITL and end-to-end latency where the file has none.
void compare_with_arrays(Run& run);

}  // namespace pageproof::results
