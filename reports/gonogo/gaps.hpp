// What an arriving request costs the running ones, from the client's arrays alone. A gap between two tokens
// of a request is interfered where another request's first token falls in it or within a step and a half
// after it: that is when the decoder received, converted and first ran the other request. Then
//
//   delta     mean(interfered) - mean(clean)
//   arrival   sum over interfered gaps of (gap - mean clean gap) / number of (running request, arrival) pairs
//
// `arrival` is what one arrival adds to every running request, in whichever of the two gaps it fell. Arrivals
// cost something without conversion too; the difference of setups c - a1 or c - b is the estimate of
// conversion time c. Source: simulation notes §3, "ITL of other running requests".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/results/run.hpp"

namespace pageproof::gonogo {

// Gaps of several runs together.
struct GapCost {
  std::size_t clean = 0;
  std::size_t interfered = 0;
  std::size_t pairs = 0;  // an arrival counted once for each request that ran
  double clean_sum_ms = 0;
  double interfered_sum_ms = 0;

  double clean_mean_ms() const;
  double interfered_mean_ms() const;
  double delta_ms() const;
  std::optional<double> arrival_ms() const;  // nothing without pairs, or without a clean gap
  double interfered_share() const;
};

// Nothing where the run has no start times or no gaps.
std::optional<GapCost> gap_cost(const results::Run& run);

GapCost pooled(const std::vector<GapCost>& runs);

struct GapDifference {
  std::string setup = {};
  std::string comparator = {};
  double delta_ms = 0;                    // of the two deltas
  std::optional<double> arrival_ms = {};  // of the two arrivals: the estimate of c
};
GapDifference difference(const std::string& setup, const GapCost& one, const std::string& comparator,
                         const GapCost& other);

}  // namespace pageproof::gonogo
