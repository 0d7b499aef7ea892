// What the laws of a simulated run share. Private to this room.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/serving/laws.hpp"

namespace pageproof::fuzz_serving {

using serving::Conversion;
using serving::RequestRecord;
using serving::Simulation;
using serving::StepRecord;
using Verdict = std::optional<Violation>;

inline constexpr double kClose = 1e-9;  // s: sums of some thousand doubles

bool near(double a, double b);
Verdict differs(std::string what, double expected, double got);
std::vector<const RequestRecord*> of_decoder(const Simulation& run, std::uint32_t decoder);

// Laws of the machines: how long each thing takes, and how much is held.
Verdict step_lengths(const Scenario& scenario, const Simulation& run);
Verdict conversions(const Scenario& scenario, const Simulation& run);
Verdict prefill_pool(const Scenario& scenario, const Simulation& run);
Verdict link(const Scenario& scenario, const Simulation& run);
Verdict capacity(const Scenario& scenario, const Simulation& run);

}  // namespace pageproof::fuzz_serving
