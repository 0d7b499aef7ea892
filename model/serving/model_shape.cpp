#include "model/serving/model_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pageproof::serving {
namespace {

// Bytes of weights: parameters as the models' cards state them; BF16, but FP8 for the 30B-A3B.
const std::array<ModelShape, 3>& models() {
  static const std::array<ModelShape, 3> presets = {{
      {.key = "qwen3-8b",
       .name = "Qwen/Qwen3-8B",
       .layers = 36,
       .kv_heads = 8,
       .query_heads = 32,
       .head_dim = 128,
       .dense_weight_bytes = 16.4e9,
       .flops_per_token = 1.39e10},
      {.key = "qwen3-32b",
       .name = "Qwen/Qwen3-32B",
       .layers = 64,
       .kv_heads = 8,
       .query_heads = 64,
       .head_dim = 128,
       .dense_weight_bytes = 65.5e9,
       .flops_per_token = 6.24e10},
      {.key = "qwen3-30b-a3b",
       .name = "Qwen/Qwen3-30B-A3B-FP8",
       .layers = 48,
       .kv_heads = 4,
       .query_heads = 32,
       .head_dim = 128,
       .dense_weight_bytes = 1.5e9,
       .expert_weight_bytes = 29.0e9,
       .experts = 128,
       .experts_per_token = 8,
       .flops_per_token = 5.5e9},
  }};
  return presets;
}

// Of the MI300X all is from the spec. The others: memory and compute units from their data sheets; the
// MI308X's bandwidth from the spec (2 TB/s as measured), the MI355X's at the MI300X's share of its peak (0.79
// of 8 TB/s); FLOPs at the MI300X's share of the peak (0.4), the MI308X's by its compute units.
const std::array<Device, 3>& devices() {
  static const std::array<Device, 3> presets = {{
      {.key = "mi300x",
       .name = "AMD Instinct MI300X",
       .compute_units = 304,
       .memory_bytes = 206.1e9,
       .memory_bytes_per_second = 4.2e12,
       .prefill_flops_per_second = 520e12},
      {.key = "mi308x",
       .name = "AMD Instinct MI308X",
       .compute_units = 80,
       .memory_bytes = 206.1e9,
       .memory_bytes_per_second = 2.0e12,
       .prefill_flops_per_second = 137e12},
      {.key = "mi355x",
       .name = "AMD Instinct MI355X",
       .compute_units = 256,
       .memory_bytes = 309.2e9,
       .memory_bytes_per_second = 6.3e12,
       .prefill_flops_per_second = 920e12},
  }};
  return presets;
}

template <class Preset>
Expected<Preset> preset(std::span<const Preset> presets, std::string_view key, const char* what) {
  const auto found = std::ranges::find(presets, key, &Preset::key);
  if (found != presets.end()) return *found;
  std::string names;
  for (const Preset& one : presets) names += (names.empty() ? "" : ", ") + one.key;
  return std::unexpected(Error{what, "name", std::string(key), "not known; there are " + names});
}

}  // namespace

double kv_bytes_per_token(const ModelShape& model) {
  return 2.0 * model.layers * model.kv_heads * model.head_dim * model.kv_element_bytes;
}

double kv_bytes_per_token_and_rank(const ModelShape& model, std::uint32_t tp) {
  const double heads = std::max(1.0, static_cast<double>(model.kv_heads) / tp);
  return 2.0 * model.layers * heads * model.head_dim * model.kv_element_bytes;
}

double step_weight_bytes(const ModelShape& model, double batch) {
  if (model.experts == 0) return model.dense_weight_bytes;
  const double missed = 1.0 - static_cast<double>(model.experts_per_token) / model.experts;
  return model.dense_weight_bytes + model.expert_weight_bytes * (1.0 - std::pow(missed, batch));
}

double prefill_flops(const ModelShape& model, double tokens, double cached) {
  const double attention = 2.0 * model.layers * model.query_heads * model.head_dim;
  return model.flops_per_token * (tokens - cached) + attention * (tokens * tokens - cached * cached);
}

std::span<const ModelShape> model_presets() {
  return models();
}

std::span<const Device> device_presets() {
  return devices();
}

Expected<ModelShape> model_preset(std::string_view key) {
  return preset(model_presets(), key, "model");
}

Expected<Device> device_preset(std::string_view key) {
  return preset(device_presets(), key, "device");
}

double kv_capacity_tokens(const ModelShape& model, const Device& device, std::uint32_t tp,
                          const MemoryUse& use) {
  const double weights = (model.dense_weight_bytes + model.expert_weight_bytes) / tp;
  const double room = device.memory_bytes * use.utilization - use.other_bytes - weights;
  return std::max(0.0, std::floor(room / kv_bytes_per_token_and_rank(model, tp)));
}

}  // namespace pageproof::serving
