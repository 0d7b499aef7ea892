#include "model/handshake/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "model/region/tp_mapping.hpp"

namespace pageproof::handshake {
namespace {

__extension__ using Wide = unsigned __int128;

using region::Backend;
using region::Engine;
using region::Layout;
using region::MemoryType;

// What the checks look at, computed once.
struct Input {
  const EngineSide& local;
  const Engine& engine;
  const AgentMetadata& remote;
  const RemoteEngine& recorded;
  std::uint64_t remote_tp;
  std::int64_t tp_ratio = 1;
  std::uint64_t ratio = 1;  // r: local block tokens / remote block tokens
  region::TpPair pair = {};
  std::string local_layout = "";
};
using Result = std::optional<Rejection>;
using Check = Result (*)(const Input&, Worker&);

Rejection rejection(std::uint32_t check, Exception exception, std::string message, std::string local,
                    std::string remote, std::string change) {
  return {fmt::format("check {}", check),
          check,
          exception,
          std::move(message),
          std::move(local),
          std::move(remote),
          std::move(change)};
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

bool head_sharded_draft(const Engine& engine) {
  return engine.model.latent && engine.model.draft_kv_heads > 0;
}

Result recorded_parallel_sizes(const Input& in, Worker&) {
  const Topology& topology = *in.recorded.topology;
  if (topology.tp_size == in.remote_tp && topology.dcp_size == in.remote.dcp_size) return {};
  return rejection(1, Exception::assertion_error, "the registered engine has other parallel sizes",
                   fmt::format("registered tp {} dcp {}", topology.tp_size, topology.dcp_size),
                   fmt::format("tp {} dcp {}", in.remote_tp, in.remote.dcp_size),
                   "an earlier handshake with this engine id left its sizes; restart the decoder or the id");
}

Result dcp_sizes_divide(const Input& in, Worker&) {
  const auto [smaller, larger] = std::minmax(in.engine.dcp_size, in.remote.dcp_size);
  if (smaller != 0 && larger % smaller == 0) return {};
  return rejection(2, Exception::assertion_error, "DCP sizes must divide one another",
                   number(in.engine.dcp_size), number(in.remote.dcp_size), "choose DCP sizes that divide");
}

Result mamba_needs_equal_dcp(const Input& in, Worker&) {
  if (!in.engine.model.mamba || in.engine.dcp_size == in.remote.dcp_size) return {};
  return rejection(3, Exception::runtime_error, "Mamba needs equal DCP sizes", number(in.engine.dcp_size),
                   number(in.remote.dcp_size), "use one DCP size");
}

Result sizes_divide(const Input& in, Worker&) {
  if (!region::tp_ratio(in.engine.tp_size, in.remote_tp)) {
    return rejection(4, Exception::assertion_error, "TP sizes must divide one another",
                     number(in.engine.tp_size), number(in.remote_tp), "choose TP sizes that divide");
  }
  if (in.remote.block_size != 0 && in.engine.kernel_block_size % in.remote.block_size == 0) return {};
  return rejection(4, Exception::assertion_error, "the prefill's block size must divide the decoder's",
                   number(in.engine.kernel_block_size), number(in.remote.block_size),
                   "use blocks on the prefill side that divide the decoder's");
}

Result no_gathering_of_replicas(const Input& in, Worker&) {
  if (in.engine.model.latent || in.engine.model.mamba) return {};
  if (in.tp_ratio > 0 || in.remote_tp <= in.engine.model.kv_heads) return {};
  return rejection(5, Exception::assertion_error,
                   "more prefill ranks than KV heads, gathered by fewer decode ranks",
                   fmt::format("tp {}, {} KV heads", in.engine.tp_size, in.engine.model.kv_heads),
                   fmt::format("tp {}", in.remote_tp), "use at most as many prefill ranks as KV heads");
}

Result draft_is_transferable(const Input& in, Worker&) {
  if (!head_sharded_draft(in.engine)) return {};
  const bool push = in.engine.transfer_mode == region::TransferMode::push;
  if (!push && in.tp_ratio > 0 && in.engine.dcp_size == 1 && in.remote.dcp_size == 1) return {};
  return rejection(6, Exception::not_implemented_error, "a head-sharded draft under an MLA target",
                   fmt::format("tp {} dcp {} {}", in.engine.tp_size, in.engine.dcp_size,
                               to_string(in.engine.transfer_mode)),
                   fmt::format("tp {} dcp {}", in.remote_tp, in.remote.dcp_size),
                   "pull, at least as many decode ranks as prefill ranks, no DCP");
}

std::vector<std::int64_t> group_ids(const EngineSide& side) {
  std::vector<std::int64_t> ids;
  for (const region::Region& region : side.registration.regions) ids.push_back(region.group);
  return ids;
}

Result dcp_groups(const Input& in, Worker&) {
  const bool dcp = in.engine.dcp_size > 1 || in.remote.dcp_size > 1;
  const std::uint64_t local_ppl = region::blocks_per_logical_block(in.engine);
  const bool split = local_ppl != 1 || in.remote.physical_blocks_per_logical_kv_block != 1;
  const bool same = !in.remote.region_group_ids || *in.remote.region_group_ids == group_ids(in.local);
  if (!dcp || same || !split) return {};
  return rejection(7, Exception::not_implemented_error, "DCP with differing region groups and split blocks",
                   number(local_ppl), number(in.remote.physical_blocks_per_logical_kv_block),
                   "use kernel blocks of the manager's size on both sides");
}

Result mamba_prefix_caching(const Input& in, Worker&) {
  const std::uint64_t local_ppl = region::blocks_per_logical_block(in.engine);
  const bool differs = local_ppl != in.remote.physical_blocks_per_logical_kv_block;
  if (!in.engine.model.mamba || !differs || !in.engine.prefix_caching) return {};
  return rejection(8, Exception::runtime_error,
                   "Mamba with prefix caching needs equal kernel blocks per block", number(local_ppl),
                   number(in.remote.physical_blocks_per_logical_kv_block),
                   "switch prefix caching off or use equal block sizes");
}

Result no_ratio_through_the_host(const Input& in, Worker&) {
  if (in.ratio == 1 || in.engine.memory == MemoryType::vram) return {};
  return rejection(9, Exception::assertion_error,
                   "different block sizes are not supported through a host buffer",
                   number(in.engine.kernel_block_size), number(in.remote.block_size), "use one block size");
}

Result same_layout(const Input& in, Worker& worker) {
  if (in.engine.model.latent || in.remote.kv_cache_layout == in.local_layout) return {};
  const std::string heads_first =
      in.engine.behaviour == region::Behaviour::s0 ? legacy_name(Layout::lbhnc) : to_string(Layout::lbhnc);
  if (!in.engine.enable_permute_local_kv || in.remote.kv_cache_layout != heads_first) {
    return rejection(10, Exception::runtime_error,
                     "Heterogeneous TP expects same kv_cache_layout. Or enable experimental feature",
                     in.local_layout, in.remote.kv_cache_layout,
                     "give both sides one layout, and one page format, which this check does not see");
  }
  if (hma_required(in.engine)) {
    return rejection(10, Exception::assertion_error,
                     "permuting is not supported with the hybrid KV-cache manager", in.local_layout,
                     in.remote.kv_cache_layout, "use one layout");
  }
  worker.permute = true;
  return {};
}

Result cpu_repack(const Input& in, Worker& worker) {
  const std::string_view local_name = region::facts_of(in.engine.backend).hash_name;
  if (in.remote.attn_backend_name == local_name || in.engine.backend != Backend::cpu_attn) return {};
  if (hma_required(in.engine)) {
    return rejection(11, Exception::runtime_error, "repacking for CPU_ATTN is not supported with HMA",
                     std::string(local_name), in.remote.attn_backend_name,
                     "disable the hybrid KV-cache manager");
  }
  worker.repack = true;
  return {};
}

Result contiguous_heads(const Input& in, Worker& worker) {
  if (in.tp_ratio == 1 || in.tp_ratio == -1 || region::replicates_kv_cache(in.pair) || worker.permute)
    return {};
  const Layout layout = in.local.layout;
  const bool fits =
      in.engine.behaviour == region::Behaviour::s0 ? layout == Layout::lbhnc : is_block_contiguous(layout);
  if (fits) return {};
  return rejection(12, Exception::runtime_error,
                   "Heterogeneous TP head-dimension splitting requires contiguous heads.",
                   fmt::format("{}, tp {}", in.local_layout, in.engine.tp_size),
                   fmt::format("tp {}", in.remote_tp), "use LBHNC or equal TP");
}

Result draft_heads(const Input& in, Worker&) {
  if (!head_sharded_draft(in.engine)) return {};
  const std::uint64_t heads = in.engine.model.draft_kv_heads;
  const std::uint64_t local = std::max<std::uint64_t>(1, heads / in.engine.tp_size);
  const std::uint64_t remote = std::max<std::uint64_t>(1, heads / in.remote_tp);
  if (local == remote) return {};
  if (in.remote.kv_cache_layout == in.local_layout && is_block_contiguous(in.local.layout)) return {};
  return rejection(13, Exception::runtime_error,
                   "a head-sharded draft needs one layout with contiguous heads", in.local_layout,
                   in.remote.kv_cache_layout, "use LBHNC on both sides");
}

Result block_lengths(const Input& in, Worker&) {
  const auto& regions = in.local.registration.regions;
  const auto& remote = in.remote.block_lens;
  if (in.engine.model.mamba && !in.engine.model.latent) return {};
  if (remote.size() != regions.size()) {
    return rejection(14, Exception::assertion_error,
                     "Number of KV layers must match between prefill and decode",
                     fmt::format("{} regions", regions.size()), fmt::format("{} regions", remote.size()),
                     "use one page format and one layout on both sides");
  }
  const bool all_replicated = region::replicates_kv_cache(in.pair);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const bool replicated = all_replicated || regions[i].latent;
    const LengthRule rule{.local_tp = in.engine.tp_size,
                          .remote_tp = in.remote_tp,
                          .kv_heads = in.engine.model.latent ? 1 : in.engine.model.kv_heads,
                          .replicated = replicated,
                          .ratio = in.ratio};
    if (lengths_fit(regions[i].block_len, remote[i], rule)) continue;
    return rejection(14, Exception::assertion_error, fmt::format("block_len of region {} does not fit", i),
                     fmt::format("{} B, tp {}", regions[i].block_len, in.engine.tp_size),
                     fmt::format("{} B, tp {}", remote[i], in.remote_tp),
                     "use one shape, dtype and page format");
  }
  return {};
}

Result recorded_blocks(const Input& in, Worker&) {
  if (in.recorded.num_blocks == in.remote.num_blocks) return {};
  return rejection(15, Exception::assertion_error, "the engine was recorded with another number of blocks",
                   number(in.recorded.num_blocks.value_or(0)), number(in.remote.num_blocks),
                   "an earlier rank or attempt recorded it; restart the decoder or the engine id");
}

Result region_count(const Input& in, Worker&) {
  const std::size_t local = in.local.registration.regions.size();
  if (in.remote.kv_caches_base_addr.size() == local) return {};
  return rejection(
      16, Exception::assertion_error, "number of base addresses", fmt::format("{} regions", local),
      fmt::format("{} addresses", in.remote.kv_caches_base_addr.size()), "use one page format and layout");
}

template <class T>
bool as_long(const std::optional<std::vector<T>>& list, std::size_t regions) {
  return !list || list->size() == regions;
}

Result list_lengths(const Input& in, Worker&) {
  const std::size_t regions = in.local.registration.regions.size();
  const std::pair<const char*, bool> lists[] = {
      {"region_num_blocks", as_long(in.remote.region_num_blocks, regions)},
      {"block_strides", as_long(in.remote.block_strides, regions)},
      {"region_group_ids", as_long(in.remote.region_group_ids, regions)},
      {"region_mem_types", as_long(in.remote.region_mem_types, regions)},
  };
  for (const auto& [name, fits] : lists) {
    if (fits) continue;
    return rejection(17, Exception::assertion_error, fmt::format("length of {}", name),
                     fmt::format("{} regions", regions), "another length",
                     "the peer sends malformed metadata");
  }
  return {};
}

Result strides_hold_blocks(const Input& in, Worker&) {
  if (!in.remote.block_strides) return {};
  const std::size_t regions = std::min(in.remote.block_lens.size(), in.remote.block_strides->size());
  for (std::size_t i = 0; i < regions; ++i) {
    if (in.remote.block_strides->at(i) >= in.remote.block_lens[i]) continue;
    return rejection(
        18, Exception::assertion_error, fmt::format("block_stride of region {} below its block_len", i), "",
        fmt::format("stride {} B, len {} B", in.remote.block_strides->at(i), in.remote.block_lens[i]),
        "the peer sends malformed metadata");
  }
  return {};
}

Result same_names(const Input& in, Worker&) {
  if (!in.remote.region_names) return {};
  const auto& regions = in.local.registration.regions;
  const auto& names = *in.remote.region_names;
  const std::string message = "NIXL transfer regions must name the same model caches in the same order";
  if (names.size() != regions.size()) {
    return rejection(19, Exception::assertion_error, message, fmt::format("{} regions", regions.size()),
                     fmt::format("{} names", names.size()), "use one page format and layout");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == regions[i].name) continue;
    return rejection(19, Exception::assertion_error, message,
                     fmt::format("region {}: {}", i, regions[i].name),
                     fmt::format("region {}: {}", i, names[i]), "serve one model with one page format");
  }
  return {};
}

struct Numbered {
  std::uint32_t number;
  bool in_s0;
  Check check;
};
constexpr std::array<Numbered, 19> kChecks = {{
    {1, true, recorded_parallel_sizes},
    {2, false, dcp_sizes_divide},
    {3, false, mamba_needs_equal_dcp},
    {4, true, sizes_divide},
    {5, true, no_gathering_of_replicas},
    {6, false, draft_is_transferable},
    {7, false, dcp_groups},
    {8, true, mamba_prefix_caching},
    {9, true, no_ratio_through_the_host},
    {10, true, same_layout},
    {11, true, cpu_repack},
    {12, true, contiguous_heads},
    {13, false, draft_heads},
    {14, true, block_lengths},
    {15, true, recorded_blocks},
    {16, true, region_count},
    {17, false, list_lengths},
    {18, false, strides_hold_blocks},
    {19, false, same_names},
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

std::optional<Rejection> check_today(const EngineSide& local, const AgentMetadata& metadata,
                                     std::uint64_t remote_tp_size, Worker& worker) {
  const Engine& engine = local.engine;
  Input in{.local = local,
           .engine = engine,
           .remote = metadata,
           .recorded = worker.remotes.at(metadata.engine_id),
           .remote_tp = remote_tp_size};
  in.tp_ratio = region::tp_ratio(engine.tp_size, remote_tp_size).value_or(1);
  // The registered block size counts, which is an earlier attempt's where there was one.
  const std::uint64_t remote_block = std::max<std::uint64_t>(1, in.recorded.topology->block_size);
  in.ratio = std::max<std::uint64_t>(1, engine.kernel_block_size / remote_block);
  in.pair = {.local_rank = engine.tp_rank,
             .local_size = engine.tp_size,
             .remote_size = remote_tp_size,
             .kv_heads = engine.model.latent ? 1 : engine.model.kv_heads,
             .latent = engine.model.latent};
  in.local_layout =
      engine.behaviour == region::Behaviour::s0 ? legacy_name(local.layout) : to_string(local.layout);
  for (const Numbered& numbered : kChecks) {
    if (!has_check(engine.behaviour, numbered.number)) continue;
    if (Result failed = numbered.check(in, worker)) return failed;
  }
  return {};
}

}  // namespace pageproof::handshake
