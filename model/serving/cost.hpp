// What a conversion costs and when it pays, in closed form. A decoder runs B requests; each joins once, lives
// N output tokens (one a step) and, when it joins, its conversion of c ms delays every running request's next
// step. In the steady state B/N requests join a step, so a step of the converting setup takes
//
//   T_c = T_b + (B/N)·c            T_b = T_a − s: the step of shuffled decode, s ms shorter than a
//   comparator's
//
// and the token counts below are where T_c crosses what is asked. They hold for a closed loop (a client that
// keeps B requests running). Source: simulation spec §4; the RFC's figures by them:
// reports/decision/rfc_figures.
#pragma once

#include <cstdint>
#include <optional>

#include "model/serving/model_shape.hpp"
#include "model/serving/step_time.hpp"

namespace pageproof::serving {

// How many times a converter moves the bytes of a request's KV through memory, read and write counted apart.
inline constexpr double kGatherTraffic = 2;  // out of the landed blocks
inline constexpr double kWriterTraffic = 2;  // into the shuffled blocks
inline constexpr double kRejoinTraffic = 2;  // byte halves joined to pages, or K and V made contiguous
inline constexpr double kTorchTraffic = kGatherTraffic + kWriterTraffic + kRejoinTraffic;  // 6
inline constexpr double kLeastTorchTraffic = kGatherTraffic + kWriterTraffic;  // the RFC's "about 4x"
inline constexpr double kFusedTraffic = 2;  // one kernel, in place: each byte read once and written once

inline constexpr double kCountedGain = 0.03;     // the RFC: a result counts from 3 % on
inline constexpr double kGuardLoss = 0.02;       // and TPOT may be 2 % worse than (b)'s
inline constexpr double kCapacityMargin = 0.95;  // of the KV capacity, the RFC's harness

inline constexpr std::uint32_t kLaunchesPerLayer = 8;  // of generic torch operations
inline constexpr double kLaunchMicroseconds = 6;       // of the CPU, a launch

// Bytes of KV of one request, all ranks together.
double request_bytes(const ModelShape& model, double tokens);

// c = κ·V/β in ms: V bytes on the rank, moved `traffic` times at `bytes_per_second`.
double conversion_ms(double rank_bytes, double traffic, double bytes_per_second);

// Time that launching takes whatever the bytes, in ms: L · launches a layer · µs a launch.
double launch_floor_ms(std::uint32_t layers, double launches_per_layer, double launch_microseconds);

// N* = B·c/s: output tokens above which the mean TPOT is no worse than the comparator's. @pre saving_ms > 0
double break_even_tokens(double batch, double convert_ms, double saving_ms);

// N ≥ B·c/(s − θ·T): output tokens from which TPOT is better by the share θ of the comparator's step T.
// Nothing: never, since the saving itself is below θ·T.
std::optional<double> counted_tokens(double batch, double convert_ms, double saving_ms,
                                     double comparator_step_ms, double gain = kCountedGain);

// N ≥ B·c/(γ·T_b): output tokens from which TPOT is at most the share γ worse than (b)'s step T_b, which pays
// no conversion.
double guard_tokens(double batch, double convert_ms, double shuffled_step_ms, double loss = kGuardLoss);

// 1 − e^(−B/N): the share of steps that carry a conversion, where joins are independent.
double converting_steps(double batch, double output_tokens);

// The least batch at which the asm decode kernel runs: by the batch itself, or by the size that its captured
// graph is padded to, which is what the kernel was chosen by. Nothing: none up to kMostBatch.
std::optional<std::uint32_t> asm_batch(const ModelShape& model, const Device& device, std::uint32_t tp,
                                       bool padded);

// NIXL descriptors of one request on a rank: blocks · layers · regions a layer (1: whole pages; 2: byte
// halves).
double descriptors(double tokens, double block_tokens, std::uint32_t layers, std::uint32_t regions_per_layer);

// Does `batch` requests of `tokens` each stay within the margin of the KV capacity? Tokens that whole blocks
// of `block_tokens` take.
struct CapacityAnswer {
  double needed_tokens = 0;
  double capacity_tokens = 0;

  double share() const { return capacity_tokens > 0 ? needed_tokens / capacity_tokens : 1e9; }
  bool fits(double margin) const { return needed_tokens <= margin * capacity_tokens; }
};
CapacityAnswer capacity_for(const ModelShape& model, const Device& device, std::uint32_t tp,
                            const MemoryUse& use, double batch, double tokens, double block_tokens = 16);

// Seconds to prefill, and the prefill GPUs that keep `batch` requests decoding: B/(N·TPOT) requests a second.
double prefill_seconds(const ModelShape& model, const Device& device, double tokens, double cached);
double prefill_gpus_needed(double batch, double output_tokens, double step_seconds, double prefill_seconds);

}  // namespace pageproof::serving
