#include "model/serving/cost.hpp"

#include <cmath>

namespace pageproof::serving {

double request_bytes(const ModelShape& model, double tokens) {
  return kv_bytes_per_token(model) * tokens;
}

double conversion_ms(double rank_bytes, double traffic, double bytes_per_second) {
  return 1e3 * traffic * rank_bytes / bytes_per_second;
}

double launch_floor_ms(std::uint32_t layers, double launches_per_layer, double launch_microseconds) {
  return layers * launches_per_layer * launch_microseconds / 1e3;
}

double break_even_tokens(double batch, double convert_ms, double saving_ms) {
  return batch * convert_ms / saving_ms;
}

std::optional<double> counted_tokens(double batch, double convert_ms, double saving_ms,
                                     double comparator_step_ms, double gain) {
  const double beyond = saving_ms - gain * comparator_step_ms;
  if (beyond <= 0) return std::nullopt;
  return batch * convert_ms / beyond;
}

double guard_tokens(double batch, double convert_ms, double shuffled_step_ms, double loss) {
  return batch * convert_ms / (loss * shuffled_step_ms);
}

double converting_steps(double batch, double output_tokens) {
  return -std::expm1(-batch / output_tokens);
}

std::optional<std::uint32_t> asm_batch(const ModelShape& model, const Device& device, std::uint32_t tp,
                                       bool padded) {
  for (std::uint32_t batch = 1; batch <= kMostBatch; ++batch) {
    if (asm_engages(model, device, tp, padded ? padded_batch(batch) : batch)) return batch;
  }
  return std::nullopt;
}

double descriptors(double tokens, double block_tokens, std::uint32_t layers,
                   std::uint32_t regions_per_layer) {
  return std::ceil(tokens / block_tokens) * layers * regions_per_layer;
}

CapacityAnswer capacity_for(const ModelShape& model, const Device& device, std::uint32_t tp,
                            const MemoryUse& use, double batch, double tokens, double block_tokens) {
  return {.needed_tokens = batch * std::ceil(tokens / block_tokens) * block_tokens,
          .capacity_tokens = kv_capacity_tokens(model, device, tp, use)};
}

double prefill_seconds(const ModelShape& model, const Device& device, double tokens, double cached) {
  return prefill_flops(model, tokens, cached) / device.prefill_flops_per_second;
}

double prefill_gpus_needed(double batch, double output_tokens, double step_seconds, double seconds) {
  return batch / (output_tokens * step_seconds) * seconds;
}

}  // namespace pageproof::serving
