#include <fmt/format.h>

#include <algorithm>

#include "model/handshake/check_input.hpp"

namespace pageproof::handshake::checks {
namespace {

using region::MemoryType;

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

std::vector<std::int64_t> group_ids(const EngineSide& side) {
  std::vector<std::int64_t> ids;
  for (const region::Region& region : side.registration.regions) ids.push_back(region.group);
  return ids;
}

}  // namespace

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

bool head_sharded_draft(const region::Engine& engine) {
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

}  // namespace pageproof::handshake::checks
