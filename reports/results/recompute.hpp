// The metrics again, from the arrays of one entry a request, as vLLM's benchmark defines them: of requests
// that succeeded; TPOT of a request is (latency - ttft) / (output tokens - 1), and a request of one output
// token has none; ITL is pooled over all gaps of all requests.
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

// Time per output token of a request; 0 of one without a second token, as goodput counts it.
double tpot_ms(const Detailed& detailed, std::size_t request);

// Two numbers that were added up in another order.
bool agree(double own, double recomputed);

// Adds a finding for every metric and count of the run that its own arrays do not give, and puts the arrays'
// number in its place; adds the metrics mean, median, std, p90 and p99 of TTFT, TPOT, ITL and end-to-end
// latency where the file has none. A duration shorter than the requests of the arrays take is invalid.
void compare_with_arrays(Run& run);

}  // namespace pageproof::results
