// A benchmark run, simulated. A request waits at the client, then for a prefill server; its KV is read over
// the link; a decoder looks up at the boundary between two steps, converts what has come where the setup
// does, and runs steps of all its requests until each has its output. Nothing is done a token: a step of B
// requests is one event, and what happens inside it is not visible before it ends.
//
//   boundary  finished requests leave; reads that have ended are noticed; conversions are launched; requests
//   join step      lasts the conversions on its path, then T(B, Σctx); each running request gets a token at
//   its end
//
// Deterministic: the same arguments give the same bits. Source: simulation spec §1 F2 to F6, §5.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/serving/arrivals.hpp"
#include "model/serving/deployment.hpp"
#include "model/serving/gaps.hpp"
#include "model/serving/setup.hpp"
#include "model/serving/step_time.hpp"

namespace pageproof::serving {

inline constexpr std::uint64_t kMostKeptSteps = 4'000'000;  // with keep_steps: 32 B each
inline constexpr double kLongestRun = 1e12;                 // seconds, on the simulated clock

// Coefficients of variation; 0 everywhere is a machine without noise.
struct Noise {
  double run = 0;      // decode steps of a whole run, and its prefills, each by a factor
  double step = 0;     // each step
  double prefill = 0;  // each prefill
};

// What the laws of a simulation must notice (fuzz/serving): each leaves one thing out.
enum class Fault : std::uint8_t {
  none,
  joins_mid_step,        // a read that ends in a step gets that step's token
  conversion_is_free,    // its time is not added
  newest_first,          // the queue at the decoder is a stack
  descriptors_are_free,  // posting takes no time
  link_is_unshared,      // reads do not wait for one another
  gaps_not_rescaled,     // arrivals keep the sum of their gaps
  side_joins_at_once,    // a conversion beside the steps is visible before its event
  context_stands_still,  // Σctx does not grow with the tokens decoded
  capacity_is_endless,   // KV is never full
};
inline constexpr int kFaults = static_cast<int>(Fault::capacity_is_endless) + 1;

struct SimulationOptions {
  std::uint64_t seed = 1;
  Noise noise = {};
  bool keep_steps = false;  // every step, so that each request's gaps can be listed
  Fault fault = Fault::none;
};

// A request's life, in seconds from the start of the run. Each time is at or after the one before.
struct RequestRecord {
  double arrival = 0;  // at the client
  double start = 0;    // let in: TTFT counts from here
  double prefill_start = 0;
  double prefill_end = 0;
  double read_start = 0;  // after the handover, and room for its KV
  double read_posted = 0;
  double read_end = 0;
  double noticed = 0;    // the boundary at which the decoder sees it
  double converted = 0;  // on the step path the end of that step's conversions; beside it its event's
  double joined = 0;     // the boundary at which its first step begins
  double first_token = 0;
  double finish = 0;
  double stall = 0;  // conversions on the path of its first step
  std::uint64_t first_step = 0;
  std::uint32_t decoder = 0;
  std::uint32_t input_tokens = 0;
  std::uint32_t output_tokens = 0;
};

struct StepRecord {
  double start = 0;
  double seconds = 0;
  double conversion = 0;  // on its path, at its start
  std::uint32_t batch = 0;
  std::uint32_t joins = 0;  // requests whose first token it makes
};

struct Simulation {
  std::vector<RequestRecord> requests;  // in order of arrival
  double duration = 0;                  // to the last token
  GapHistogram clean;                   // gaps between tokens of one request ...
  GapHistogram interfered;            // ... in which, or in the step after which, another had its first token
  std::vector<double> batch_seconds;  // [B]: time in steps of B requests, all decoders
  std::vector<double> steady_seconds;  // the same between the first finish and the last start; may be all 0
  double busy_seconds = 0;             // of decoders, in steps
  double running_seconds = 0;          // Σ over steps of B times its length
  double prefill_busy_seconds = 0;
  std::uint64_t prefilled_tokens = 0;  // input less cached
  double converting_seconds = 0;       // on the path or beside it
  std::uint64_t steps = 0;
  std::uint64_t steps_with_conversion = 0;
  std::uint64_t steps_with_join = 0;
  std::uint64_t tokens = 0;
  std::uint64_t most_tokens_a_second = 0;  // of the seconds of the run, tokens of the one with most
  std::uint64_t capacity_waits = 0;        // requests that waited for KV
  std::uint64_t preemption_risks = 0;  // of these: whose prompt alone would have fitted, so that vLLM lets
                                       // them in and may have to preempt
  double most_kv_tokens = 0;           // held by one decoder
  std::vector<std::vector<StepRecord>> kept;  // of each decoder, with keep_steps
};

// `time` answers for the setup's decode kernel. Refused: what check() and make_requests() refuse; noise that
// is not in [0, 1]; a batch or context that `time` has no answer for; a request that no decoder can hold, or
// with Capacity::refused one that would wait; more steps to keep than kMostKeptSteps, a clock
// beyond kLongestRun.
Expected<Simulation> simulate(const Deployment& deployment, const Setup& setup, const StepTime& time,
                              const Load& load, const SimulationOptions& options);

// With the parametric step time of the setup.
Expected<Simulation> simulate(const Deployment& deployment, const Setup& setup, const Load& load,
                              const SimulationOptions& options);
Expected<StepTime> parametric_step_time(const Deployment& deployment, const Setup& setup);

}  // namespace pageproof::serving
