// Goodput: requests a second that succeed within every objective on TTFT, TPOT and end-to-end latency. A
// request without a second output token has TPOT 0, as vLLM counts it, and keeps any objective on it. Needs
// the arrays of one entry a request: no aggregate tells which requests were good.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/page/plain/error.hpp"
#include "reports/results/run.hpp"

namespace pageproof::results {

// "ttft:200,tpot:20,e2el:5000", in ms; commas or blanks between them. `subject` names the text in errors.
Expected<Objectives> parse_objectives(std::string_view text, const std::string& subject);
std::string to_string(const Objectives& objectives);  // the same, in this order

// Requests that succeeded and meet all (an equal value does).
std::size_t good_requests(const Detailed& detailed, const Objectives& objectives);
double goodput(const Detailed& detailed, const Objectives& objectives, double duration_s);  // a second

// Of a run, a second. nullopt: it has no duration, or neither arrays nor a goodput kept for these objectives.
std::optional<double> goodput(const Run& run, const Objectives& objectives);

// Keeps it in the run, or says in a note why it cannot be. Compares it with the file's own request_goodput
// where the file says by its tag `goodput` that it is for the same objectives.
void add_goodput(Run& run, const Objectives& objectives);

}  // namespace pageproof::results
