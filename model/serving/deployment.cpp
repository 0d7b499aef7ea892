#include "model/serving/deployment.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/serving/refusal.hpp"

namespace pageproof::serving {

ReadCost read_cost(const Deployment& deployment, Descriptors descriptors, std::uint32_t input_tokens) {
  const Link& link = deployment.link;
  const auto up = [](std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; };
  const std::uint64_t blocks = up(input_tokens, deployment.block_tokens);
  const BlockUse use{deployment.model.layers, blocks, up(blocks, link.run_blocks)};
  ReadCost cost{.blocks = blocks};
  cost.descriptors =
      link.merged ? merged_descriptors(descriptors, use) : planned_descriptors(descriptors, use);
  cost.bytes = static_cast<double>(blocks * deployment.block_tokens) *
               kv_bytes_per_token_and_rank(deployment.model, deployment.tp);
  cost.post_seconds = link.read_seconds + static_cast<double>(cost.descriptors) * link.descriptor_seconds;
  cost.wire_seconds = cost.bytes / link.bytes_per_second;
  return cost;
}

double prefill_seconds(const Deployment& deployment, const Setup& setup, double tokens, double cached) {
  const double rate = deployment.prefill_flops_per_second > 0 ? deployment.prefill_flops_per_second
                                                              : deployment.device.prefill_flops_per_second;
  const std::uint32_t ranks = deployment.prefill_tp > 0 ? deployment.prefill_tp : deployment.tp;
  const double factor = cached > 0 ? setup.extension_factor : setup.prefill_factor;
  return prefill_flops(deployment.model, tokens, cached) / (rate * ranks) * factor;
}

double capacity_tokens(const Deployment& deployment) {
  if (deployment.kv_capacity_tokens) return *deployment.kv_capacity_tokens;
  return kv_capacity_tokens(deployment.model, deployment.device, deployment.tp, deployment.memory);
}

Expected<void> check(const Deployment& d) {
  const std::pair<const char*, std::uint32_t> servers[] = {
      {"prefill", d.prefill_servers}, {"decode", d.decoders}, {"tp", d.tp}};
  for (const auto& [name, count] : servers) {
    if (count == 0 || count > kMostServers) {
      return refuse("deployment", name, std::to_string(count), fmt::format("not 1 to {}", kMostServers));
    }
  }
  if (d.prefill_tp > kMostServers) {
    return refuse("deployment", "prefill tp", std::to_string(d.prefill_tp),
                  fmt::format("not 1 to {}", kMostServers));
  }
  if (d.block_tokens == 0 || d.block_tokens > 4096) {
    return refuse("deployment", "block tokens", std::to_string(d.block_tokens), "not 1 to 4096");
  }
  if (d.link.run_blocks == 0) return refuse("deployment", "blocks a run", "0", "not positive");
  if (d.scheduler_steps > 64)
    return refuse("deployment", "scheduler steps", std::to_string(d.scheduler_steps), "not 0 to 64");
  if (!(std::isfinite(d.link.bytes_per_second) && d.link.bytes_per_second > 0)) {
    return refuse("deployment", "link", fmt::format("{} B/s", d.link.bytes_per_second), "not positive");
  }
  const std::pair<const char*, double> times[] = {
      {"seconds a descriptor", d.link.descriptor_seconds},
      {"seconds a read", d.link.read_seconds},
      {"handover seconds", d.handover_seconds},
      {"prefill FLOP/s", d.prefill_flops_per_second},
      {"KV capacity in tokens", d.kv_capacity_tokens.value_or(1)}};
  for (const auto& [name, value] : times) {
    if (!(std::isfinite(value) && value >= 0))
      return refuse("deployment", name, fmt::format("{}", value), "negative");
  }
  return {};
}

}  // namespace pageproof::serving
