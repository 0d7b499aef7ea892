// The RFC's go/no-go as a list of runs, and what each can decide before any is made. A point is one load on
// one model (144 of them), a cell one of the five setups at a point (720), a run one repeat of a cell
// (2,160).
//
//   infeasible   the planned batch does not fit 95 % of the KV capacity
//   unreachable  more prefill GPUs are needed than there are: the decoder would run a smaller batch
//   undecidable  nothing would count: neither rule's result is a counted one in 80 % of measurements
//   decisive     a rule passes, or something counts against it, in at least 80 % of measurements
//
// "A result counts only if it is >= 3 % with non-overlapping repeat ranges" (RFC). Against rule A counts a
// loss of TTFT, TPOT or output throughput; against rule B a TPOT more than 2 % worse, or a loss of TTFT
// without a prefill throughput that wins. Every cell is simulated under many seeds; a measurement is three of
// a setup's runs against three of another's, judged by the rules of reports/gonogo. By the defaults (d) is
// (c): nobody has measured unified's prefill against FA's. Source: the RFC's go/no-go section, simulation
// spec §3, §4.4, §5.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/serving/arrivals.hpp"
#include "model/serving/deployment.hpp"
#include "model/serving/setup.hpp"

namespace pageproof::decision {

inline constexpr std::array<const char*, 5> kPlannedSetups = {"a1", "a2", "b", "c", "d"};
inline constexpr std::size_t kSetups = kPlannedSetups.size();

// What a prediction rests on; each has a range in sensitivity.hpp. Defaults: simulation spec §6.
struct Assumptions {
  double kernel_gain = 0.106;        // φ: less time in attention than ROCM_AITER_FA, above the asm threshold
  double gain_over_unified = 0.044;  // the same over unified
  double traffic = 4;                // κ of the converter
  double convert_bytes_per_second = 2e12;
  double launch_floor_seconds = 36 * 8 * 6e-6;  // of a conversion of 36 layers; other models by their layers
  double descriptor_seconds = 2e-6;
  double link_bytes_per_second = 25e9;
  double prefill_flops_per_second = 520e12;
  double shuffled_extension = 1.03;  // of prefill time where a prefix is cached: (b) pays it
  double unified_prefill = 1;        // of every prefill's time, by FA's: (a2) and (d) pay it. Not measured
  double unshuffled_regions = 1;     // descriptors a page of (a1) and (a2): 1, whole; 2, K and V slots
  double run_cv = 0.01;              // of a run's step and prefill times, from run to run
  double prefill_cv = 0.1;           // of each prefill: without it equal prompts stay in lockstep
};

struct PlanOptions {
  Assumptions assume;
  std::uint32_t tp = 2;
  std::uint32_t prefill_gpus = 6;  // beside the decoder: the rest of a node of 8
  double cached_share = 0.75;      // of the prompt in the workload with prefix hits
  std::uint32_t prompts = 6;       // of a run, for each of its requests at once
  double run_overhead_s = 180;     // start of both engines, and warm-up
  std::uint32_t repeats = 3;
  std::uint64_t seeds = 20;    // at least twice the repeats
  std::uint32_t trials = 400;  // measurements drawn from the seeds
  double certainty = 0.8;      // from which a point is decisive
  bool added_noise = false;    // runs are simulated without noise, and it is added to what they measure
  std::uint64_t shard = 1;     // of `shards`: every shards-th point
  std::uint64_t shards = 1;
  std::uint32_t threads = 2;
  std::function<bool(std::uint64_t done, std::uint64_t of)> progress = {};
};

struct PlanPoint {
  std::string model;     // a preset's key
  std::string workload;  // "cold" or "hit"
  std::uint32_t batch = 0;
  std::uint32_t context = 0;
  std::uint32_t output = 0;

  std::string name() const;  // "qwen3-8b hit 48x16384 osl 512"
  bool operator==(const PlanPoint&) const = default;
};
std::vector<PlanPoint> rfc_points();  // 144

enum class PointState : std::uint8_t { infeasible, unreachable, undecidable, decisive };
std::string_view to_string(PointState state);

// A rule for one setup at a point: (c) or (d) against (a1) and (a2), or against (b).
struct RuleForecast {
  std::string setup;  // "c" or "d"
  char rule = 'A';
  double passes = 0;   // share of measurements
  double against = 0;  // in which something counts against it; in the rest nothing counts
  double gain = 0;   // of the medians: rule A of TPOT over the better of a1 and a2; rule B of TTFT or prefill
                     // throughput over b, whichever is more
  double ttft = 0;   // gain of TTFT over a1, or over b
  double guard = 0;  // rule B: how much worse TPOT is than b's

  bool decisive(double certainty) const { return passes >= certainty || against >= certainty; }
  bool predicted_to_pass() const { return passes >= against; }
};

struct PlannedSetup {
  double tpot_ms = 0;  // medians over seeds
  double ttft_ms = 0;
  double output_per_s = 0;
  double prefill_per_s = 0;
  double batch = 0;
  double run_seconds = 0;  // without what starting takes
};

struct PointForecast {
  PlanPoint point;
  PointState state = PointState::infeasible;
  std::string reason;                // of infeasible and unreachable
  double capacity_share = 0;         // of the KV capacity that the planned batch takes
  std::uint32_t prefill_gpus = 0;    // that hold the batch
  std::uint32_t concurrency = 0;     // of the client, so that a1 decodes `batch` requests
  std::vector<PlannedSetup> setups;  // in the order of kPlannedSetups; empty where it was not simulated
  std::vector<RuleForecast> rules;

  bool simulated() const { return !setups.empty(); }
};

struct PlanForecast {
  PlanOptions options;
  std::vector<PointForecast> points;  // of the shard, in the order of rfc_points()
};

// Refused: a share, count or rate out of its range, naming the option.
Expected<PlanForecast> plan_runs(const PlanOptions& options, const std::vector<PlanPoint>& points);
Expected<void> check_plan(const PlanOptions& options);

// What no simulation is needed for: capacity, prefill GPUs, and the reason where a point is infeasible or
// unreachable by them.
Expected<PointForecast> placed(const PlanOptions& options, const PlanPoint& point);

// The same, and the client's concurrency (0 where the point is infeasible or unreachable).
Expected<PointForecast> outset(const PlanOptions& options, const PlanPoint& point);
serving::Load load_of(const PlanOptions& options, const PlanPoint& point, std::uint32_t concurrency);
serving::Deployment deployment_of(const PlanOptions& options, const PlanPoint& point,
                                  std::uint32_t prefill_gpus);
serving::Setup setup_of(const PlanOptions& options, std::string_view name);

// Whether a setup, at its median, decodes too few requests for the planned batch; and what a point's rules
// make of it.
std::string shortfall(const PointForecast& point);  // empty: it does not
PointState state_by_rules(const PlanOptions& options, const PointForecast& point);

// GPU-hours of one run of a setup at a point.
double gpu_hours(const PlanOptions& options, const PointForecast& point, std::size_t setup);

}  // namespace pageproof::decision
