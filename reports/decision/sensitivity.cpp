#include "reports/decision/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace pageproof::decision {
namespace {

struct Knob {
  const char* name;
  const char* what;
  const char* unit;
  double Assumptions::* field;
  double scale;  // of the unit to the field's
  double low;
  double high;
};

constexpr Knob kKnobs[] = {
    {"kernel_gain", "φ: less time in attention than ROCM_AITER_FA", "", &Assumptions::kernel_gain, 1, 0.023,
     0.106},
    {"gain_over_unified", "φ: less time in attention than unified", "", &Assumptions::gain_over_unified, 1, 0,
     0.1},
    {"traffic", "κ: bytes moved a byte of KV", "x", &Assumptions::traffic, 1, 2, 6},
    {"bandwidth", "of the converter", "TB/s", &Assumptions::convert_bytes_per_second, 1e12, 1, 3.5},
    {"launch_floor", "launches of a conversion", "ms", &Assumptions::launch_floor_seconds, 1e-3, 0, 3},
    {"descriptor", "posting a descriptor", "µs", &Assumptions::descriptor_seconds, 1e-6, 0.1, 4},
    {"link", "bandwidth of a rank's link", "GB/s", &Assumptions::link_bytes_per_second, 1e9, 5, 50},
    {"prefill", "of a prefill GPU", "TFLOP/s", &Assumptions::prefill_flops_per_second, 1e12, 300, 700},
    {"shuffled_extension", "prefill time of (b) where a prefix is cached", "x",
     &Assumptions::shuffled_extension, 1, 1, 1.127},
    {"unshuffled_regions", "descriptors a page of a1 and a2: 1 whole, 2 slots", "a page",
     &Assumptions::unshuffled_regions, 1, 1, 2},
    {"run_cv", "noise from run to run", "", &Assumptions::run_cv, 1, 0.005, 0.03},
};

constexpr std::uint64_t kSeedsOfABar = 3;  // the same for all: they differ in the prefills' noise

Expected<Outlook> outlook(PlanOptions options, const std::vector<PlanPoint>& points) {
  options.seeds = kSeedsOfABar;
  options.added_noise = true;
  const auto plan = plan_runs(options, points);
  if (!plan) return std::unexpected(plan.error());
  Outlook out;
  for (const PointForecast& point : plan->points) {
    if (point.rules.empty()) continue;
    ++out.points;
    if (point.state == PointState::decisive) ++out.decisive;
    for (const RuleForecast& rule : point.rules) {
      if (rule.rule == 'A' && rule.setup == "c") {
        out.rule_a_passes += rule.passes;
        out.tpot_gain += rule.gain;
      } else if (rule.rule == 'B' && rule.setup == "c") {
        out.rule_b_passes += rule.passes;
        out.tpot_loss_to_b += rule.guard;
        out.ttft_gain_over_b += rule.ttft;
      } else if (rule.rule == 'B') {
        out.rule_b_passes_d += rule.passes;
      }
    }
  }
  const double n = std::max<double>(1, static_cast<double>(out.points));
  out.tpot_gain /= n;
  out.tpot_loss_to_b /= n;
  out.ttft_gain_over_b /= n;
  return out;
}

nlohmann::ordered_json outlook_json(const Outlook& o) {
  return {{"points", o.points},
          {"decisive", o.decisive},
          {"rule_a_passes_c", o.rule_a_passes},
          {"rule_b_passes_c", o.rule_b_passes},
          {"rule_b_passes_d", o.rule_b_passes_d},
          {"tpot_gain_c", o.tpot_gain},
          {"tpot_loss_to_b_c", o.tpot_loss_to_b},
          {"ttft_gain_over_b_c", o.ttft_gain_over_b}};
}

std::string outlook_row(const std::string& name, const Outlook& o) {
  return fmt::format("{:<44}{:>7}{:>9}{:>9.1f}{:>9.1f}{:>+10.1f} %{:>+9.1f} %{:>+9.1f} %\n", name, o.points,
                     o.decisive, o.rule_a_passes, o.rule_b_passes, 100 * o.tpot_gain, 100 * o.tpot_loss_to_b,
                     100 * o.ttft_gain_over_b);
}

}  // namespace

double Bar::reach() const {
  return std::abs(at_high.tpot_gain - at_low.tpot_gain);
}

Expected<Tornado> tornado(const PlanOptions& options, const std::vector<PlanPoint>& points) {
  Tornado out;
  const auto standard = outlook(options, points);
  if (!standard) return std::unexpected(standard.error());
  out.standard = *standard;
  for (const Knob& knob : kKnobs) {
    Bar bar{
        .assumption = knob.name, .what = knob.what, .unit = knob.unit, .low = knob.low, .high = knob.high};
    bar.standard = options.assume.*knob.field / knob.scale;
    for (const bool high : {false, true}) {
      PlanOptions changed = options;
      changed.assume.*knob.field = (high ? knob.high : knob.low) * knob.scale;
      const auto at = outlook(changed, points);
      if (!at) return std::unexpected(at.error());
      (high ? bar.at_high : bar.at_low) = *at;
    }
    out.bars.push_back(std::move(bar));
  }
  std::ranges::sort(out.bars, [](const Bar& one, const Bar& other) {
    return one.reach() != other.reach() ? one.reach() > other.reach() : one.assumption < other.assumption;
  });
  return out;
}

std::string tornado_text(const Tornado& tornado) {
  std::string text =
      fmt::format("{:<44}{:>7}{:>9}{:>9}{:>9}{:>12}{:>11}{:>11}\n", "(c), one assumption at a time", "points",
                  "decisive", "A passes", "B passes", "TPOT gain", "TPOT vs b", "TTFT vs b");
  text += outlook_row("as assumed", tornado.standard);
  for (const Bar& bar : tornado.bars) {
    const auto named = [&](double value) {
      return fmt::format("{} = {:g}{}{}", bar.assumption, value, bar.unit.empty() ? "" : " ", bar.unit);
    };
    text += outlook_row(named(bar.low), bar.at_low) + outlook_row(named(bar.high), bar.at_high);
  }
  return text;
}

nlohmann::ordered_json tornado_json(const Tornado& tornado) {
  nlohmann::ordered_json bars = nlohmann::ordered_json::array();
  for (const Bar& bar : tornado.bars) {
    bars.push_back({{"assumption", bar.assumption},
                    {"what", bar.what},
                    {"unit", bar.unit},
                    {"low", bar.low},
                    {"high", bar.high},
                    {"standard", bar.standard},
                    {"at_low", outlook_json(bar.at_low)},
                    {"at_high", outlook_json(bar.at_high)}});
  }
  return {{"standard", outlook_json(tornado.standard)}, {"bars", std::move(bars)}};
}

}  // namespace pageproof::decision
