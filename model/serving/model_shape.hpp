// A model and a device as serving sees them: bytes of weights and of KV that a decode step reads, FLOPs that
// a prefill takes, tokens that fit. Plain numbers; the presets are data. Source: simulation spec §4.1, §4.4,
// §5.5.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/page/plain/error.hpp"

namespace pageproof::serving {

struct ModelShape {
  std::string key;   // "qwen3-8b", as an option names it
  std::string name;  // "Qwen/Qwen3-8B", as result files do
  std::uint32_t layers = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t query_heads = 0;
  std::uint32_t head_dim = 0;
  std::uint32_t kv_element_bytes = 2;
  double dense_weight_bytes = 0;   // read by every decode step, all ranks together
  double expert_weight_bytes = 0;  // of all routed experts; a step reads the share that its tokens reach
  std::uint32_t experts = 0;       // routed; 0: a dense model
  std::uint32_t experts_per_token = 0;
  double flops_per_token = 0;  // of a prefill, beside attention

  bool operator==(const ModelShape&) const = default;
};

// K and V of one token, all layers, all ranks together: L · 2 · H_kv · D · e.
double kv_bytes_per_token(const ModelShape& model);

// Bytes of weights that a step with `batch` tokens reads, all ranks together: W_dense + W_experts · (1 − (1 −
// k/E)^batch), the share of experts that at least one token reaches where tokens choose evenly.
double step_weight_bytes(const ModelShape& model, double batch);

// FLOPs to prefill `tokens` of which the first `cached` are there already: f · (S − c) + 2 · L · H_q · D ·
// (S² − c²), causal attention. @pre cached <= tokens
double prefill_flops(const ModelShape& model, double tokens, double cached);

// One GPU. Source of the MI300X's figures: simulation spec §6.
struct Device {
  std::string key;
  std::string name;
  std::uint32_t compute_units = 0;
  double memory_bytes = 0;
  double memory_bytes_per_second = 0;   // achieved
  double prefill_flops_per_second = 0;  // achieved

  bool operator==(const Device&) const = default;
};

std::span<const ModelShape> model_presets();  // qwen3-8b, qwen3-32b, qwen3-30b-a3b
std::span<const Device> device_presets();     // mi300x, mi308x, mi355x

// Refused, with the names that there are: no preset of that key.
Expected<ModelShape> model_preset(std::string_view key);
Expected<Device> device_preset(std::string_view key);

// What does not hold KV: vLLM's share of memory that it may use, and what else an engine keeps in it.
struct MemoryUse {
  double utilization = 0.9;
  double other_bytes = 6e9;  // a GPU: activations, graphs, the communication library
};

// Tokens of KV that `tp` GPUs hold beside the weights; 0 where the weights do not fit. Heads that `tp` does
// not divide are replicated: then each rank holds one head whole.
double kv_capacity_tokens(const ModelShape& model, const Device& device, std::uint32_t tp,
                          const MemoryUse& use);

// Bytes of KV of one token on one rank of `tp`.
double kv_bytes_per_token_and_rank(const ModelShape& model, std::uint32_t tp);

}  // namespace pageproof::serving
