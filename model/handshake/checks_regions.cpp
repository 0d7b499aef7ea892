#include <fmt/format.h>

#include <algorithm>

#include "model/handshake/check_input.hpp"

namespace pageproof::handshake::checks {
namespace {

using region::Backend;
using region::Layout;

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

template <class T>
bool as_long(const std::optional<std::vector<T>>& list, std::size_t regions) {
  return !list || list->size() == regions;
}

}  // namespace

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

}  // namespace pageproof::handshake::checks
