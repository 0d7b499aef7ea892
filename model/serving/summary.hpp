// What a run comes to, as `vllm bench serve` defines its metrics: percentiles interpolated linearly (type 7),
// deviations of the population, TPOT a request = (latency − TTFT) / (output tokens − 1), requests of one
// output token without TPOT; a goodput counts them as 0. Times are in milliseconds, as in result files.
// Source: simulation spec §2.1, §5.5.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/serving/simulate.hpp"

namespace pageproof::serving {

struct Spread {
  double mean = 0;
  double median = 0;
  double deviation = 0;
  double p90 = 0;
  double p99 = 0;
  double p999 = 0;
};

// The parts of TTFT: of each request they add up to it.
enum class Part : std::uint8_t {
  prefill_wait,  // for a server
  prefill,
  handover,    // router, and room for its KV
  transfer,    // wait for the link, posting, bytes
  notice,      // to the boundary at which the decoder looks
  conversion,  // of this request and of those before it
  schedule,    // from ready to its first step
  first_step,
};
inline constexpr std::size_t kParts = 8;
std::string_view to_string(Part part);

struct Objectives {  // of a request, in ms; what is left out is met
  std::optional<double> ttft_ms = std::nullopt;
  std::optional<double> tpot_ms = std::nullopt;
  std::optional<double> e2el_ms = std::nullopt;

  bool any() const { return ttft_ms || tpot_ms || e2el_ms; }
};

struct Gaps {
  std::uint64_t count = 0;
  double mean_ms = 0;
  double p50_ms = 0;
  double p99_ms = 0;
};

struct Summary {
  std::uint64_t requests = 0;
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  double duration_s = 0;
  Spread ttft_ms = {}, tpot_ms = {}, itl_ms = {}, e2el_ms = {};
  double client_queue_ms = 0;  // mean
  std::array<Spread, kParts> parts_ms{};
  double post_ms = 0;     // mean: of `transfer`, until the last descriptor is posted
  double batch_mean = 0;  // requests a step, by time: between the first finish and the last start
  double batch_p10 = 0;
  bool batch_steady = false;  // false: nobody started after the first finish, so it is of the whole run
  Gaps clean = {}, interfered = {};
  double good_per_s = 0;            // requests that met the objectives
  double prefill_tokens_per_s = 0;  // computed, a busy second of a server
  double prefill_busy = 0;          // share of the servers' time
  double joins_a_step = 0;          // share of steps that make a first token
  double conversions_a_step = 0;    // share of steps that convert
  std::uint64_t steps = 0;
  std::uint64_t most_tokens_a_second = 0;
  std::uint64_t most_concurrent = 0;  // as vLLM counts: requests that touch one second of the run
  std::uint64_t capacity_waits = 0;
  std::uint64_t preemption_risks = 0;
  double most_kv_tokens = 0;

  double output_per_s() const { return static_cast<double>(output_tokens) / duration_s; }
  double requests_per_s() const { return static_cast<double>(requests) / duration_s; }
};

// Of a run with kept steps ITL percentiles are exact, else within 0.05 %.
Summary summarize(const Simulation& run, const Objectives& objectives, std::uint32_t prefill_servers);

std::array<double, kParts> parts_of(const RequestRecord& request);  // in seconds
double tpot_seconds(const RequestRecord& request);                  // 0 for one output token

// Gaps of a request: the lengths of the steps after its first token. @pre kept steps
std::vector<double> gaps_of(const Simulation& run, const RequestRecord& request);

}  // namespace pageproof::serving
