// A simulated run as a Chrome trace (Perfetto and chrome://tracing open it): prefill servers, reads,
// conversions and steps as slices, a flow for each request from one to the next, batch and KV as counters.
// Times in µs. Source: simulation spec §7.
#pragma once

#include <cstdint>
#include <string>

#include "model/serving/runs.hpp"

namespace pageproof::simulated {

inline constexpr std::uint64_t kMostTimelineEvents = 1'000'000;  // 150 B or so each

// Of the first requests, and the steps until the last of these has its first token, no more than `most`
// events.
// @pre the run has kept its steps
std::string chrome_trace(const serving::Simulation& run, const serving::Cell& cell, std::uint64_t most);

}  // namespace pageproof::simulated
