#include "model/handshake/checks.hpp"

#include <algorithm>
#include <array>

#include "model/handshake/check_input.hpp"
#include "model/region/tp_mapping.hpp"

namespace pageproof::handshake {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::array<checks::Numbered, 19> kChecks = {{
    {1, true, checks::recorded_parallel_sizes},
    {2, false, checks::dcp_sizes_divide},
    {3, false, checks::mamba_needs_equal_dcp},
    {4, true, checks::sizes_divide},
    {5, true, checks::no_gathering_of_replicas},
    {6, false, checks::draft_is_transferable},
    {7, false, checks::dcp_groups},
    {8, true, checks::mamba_prefix_caching},
    {9, true, checks::no_ratio_through_the_host},
    {10, true, checks::same_layout, Mark::permute},
    {11, true, checks::cpu_repack, Mark::repack},
    {12, true, checks::contiguous_heads},
    {13, false, checks::draft_heads},
    {14, true, checks::block_lengths},
    {15, true, checks::recorded_blocks},
    {16, true, checks::region_count},
    {17, false, checks::list_lengths},
    {18, false, checks::strides_hold_blocks},
    {19, false, checks::same_names},
}};

}  // namespace

bool has_check(region::Behaviour behaviour, std::uint32_t check) {
  return check >= 1 && check <= kChecks.size() &&
         (behaviour != region::Behaviour::s0 || kChecks[check - 1].in_s0);
}

bool lengths_fit(std::uint64_t local_len, std::uint64_t remote_len, const LengthRule& rule) {
  if (rule.replicated) return local_len / rule.ratio == remote_len;
  const Wide local_heads = std::max<std::uint64_t>(1, rule.kv_heads / rule.local_tp);
  const Wide remote_heads = std::max<std::uint64_t>(1, rule.kv_heads / rule.remote_tp);
  const Wide scaled = local_len * remote_heads / local_heads;
  if (rule.local_tp >= rule.remote_tp) return remote_len == scaled / rule.ratio;
  return rule.ratio == 1 && remote_len == scaled;
}

namespace checks {

std::span<const Numbered> numbered() {
  return kChecks;
}

Input input_of(const EngineSide& local, const AgentMetadata& remote, std::uint64_t remote_tp,
               const Worker& worker) {
  const region::Engine& engine = local.engine;
  Input in{.local = local,
           .engine = engine,
           .remote = remote,
           .recorded = worker.remotes.at(remote.engine_id),
           .remote_tp = remote_tp};
  in.tp_ratio = region::tp_ratio(engine.tp_size, remote_tp).value_or(1);
  // The registered block size counts, which is an earlier attempt's where there was one.
  const std::uint64_t remote_block = std::max<std::uint64_t>(1, in.recorded.topology->block_size);
  in.ratio = std::max<std::uint64_t>(1, engine.kernel_block_size / remote_block);
  in.pair = {.local_rank = engine.tp_rank,
             .local_size = engine.tp_size,
             .remote_size = remote_tp,
             .kv_heads = engine.model.latent ? 1 : engine.model.kv_heads,
             .latent = engine.model.latent};
  in.local_layout =
      engine.behaviour == region::Behaviour::s0 ? legacy_name(local.layout) : to_string(local.layout);
  return in;
}

}  // namespace checks
}  // namespace pageproof::handshake
