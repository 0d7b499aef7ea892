// What moves the verdict: one assumption at a time at both ends of its range, the others at their defaults.
// Ranges: simulation spec §5.7. Every bar is simulated under the same seeds, without the noise between
// runs, which is added when measurements are drawn: a bar is the assumption's doing and not the seed's.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reports/decision/run_plan.hpp"

namespace pageproof::decision {

// Means over the points that are feasible and reachable, for setup (c) unless said otherwise.
struct Outlook {
  std::size_t points = 0;
  std::size_t decisive = 0;  // of these
  double rule_a_passes = 0;  // expected number of points
  double rule_b_passes = 0;
  double rule_b_passes_d = 0;
  double tpot_gain = 0;       // over the faster of a1 and a2
  double tpot_loss_to_b = 0;  // how much worse than b
  double ttft_gain_over_b = 0;
};

struct Bar {
  std::string assumption;  // "kernel_gain"
  std::string what;        // "φ: less time in attention"
  std::string unit;
  double low = 0;
  double high = 0;
  double standard = 0;
  Outlook at_low = {};
  Outlook at_high = {};

  double reach() const;  // |difference of tpot_gain|, by which bars are sorted
};

struct Tornado {
  Outlook standard;
  std::vector<Bar> bars;  // widest first
};

Expected<Tornado> tornado(const PlanOptions& options, const std::vector<PlanPoint>& points);

std::string tornado_text(const Tornado& tornado);
nlohmann::ordered_json tornado_json(const Tornado& tornado);

}  // namespace pageproof::decision
