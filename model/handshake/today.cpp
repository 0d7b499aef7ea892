#include "model/handshake/today.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/handshake/wire.hpp"

namespace pageproof::handshake {
namespace {

using region::Engine;

Rejection plain(std::string at, Exception exception, std::string message, std::string local,
                std::string remote, std::string change) {
  return {std::move(at),    0, exception, std::move(message), std::move(local), std::move(remote),
          std::move(change)};
}

void note(std::vector<std::string>* trace, std::string step) {
  if (trace != nullptr) trace->push_back(std::move(step));
}

std::optional<Rejection> hashes_match(const EngineSide& local, const std::string& remote_hash) {
  // With the check switched off a mismatch is accepted silently.
  if (!local.engine.enforce_handshake_compat || remote_hash == local.hash) return {};
  return plain("hash", Exception::runtime_error, "NIXL compatibility hash mismatch.", local.hash, remote_hash,
               "make the factors of the hash equal, or set enforce_handshake_compat to false on the decoder");
}

// _validate_remote_parallel_config: S1 and S2 only.
std::optional<Rejection> parallel_config(const EngineSide& local, const AgentMetadata& remote) {
  const Engine& engine = local.engine;
  if (engine.behaviour == region::Behaviour::s0) return {};
  const auto replicated = [](std::uint64_t pcp, std::uint64_t dcp) { return pcp > 1 && dcp == 1; };
  const bool odd = remote.pcp_size > 1 && remote.dcp_size != 1 && remote.dcp_size != remote.pcp_size;
  const bool mixed = (replicated(remote.pcp_size, remote.dcp_size) && engine.dcp_size > 1) ||
                     (replicated(engine.pcp_size, engine.dcp_size) && remote.dcp_size > 1);
  if (!odd && !mixed) return {};
  return plain(
      "parallel config", Exception::not_implemented_error, "prefill context parallelism of this kind",
      fmt::format("pcp {} dcp {}", engine.pcp_size, engine.dcp_size),
      fmt::format("pcp {} dcp {}", remote.pcp_size, remote.dcp_size), "use equal context parallel sizes");
}

std::optional<Rejection> engine_ids_match(const std::string& expected, const std::string& found) {
  if (expected == found) return {};
  return plain("engine id", Exception::runtime_error, "Remote NIXL agent engine ID mismatch.", expected,
               found, "the prefill behind this address was replaced: send the request to the new one");
}

// A7: the first rank's lists win.
void record_regions(const EngineSide& local, const AgentMetadata& remote, RemoteEngine& engine) {
  if (engine.num_blocks) return;
  const auto& regions = local.registration.regions;
  const std::size_t count = remote.kv_caches_base_addr.size();
  engine.num_blocks = remote.num_blocks;
  engine.region_num_blocks =
      remote.region_num_blocks.value_or(std::vector<std::uint64_t>(count, remote.num_blocks));
  std::vector<std::int64_t> groups;
  for (const region::Region& region : regions) groups.push_back(region.group);
  if (groups.size() != count) groups.assign(count, 0);
  engine.region_group_ids = remote.region_group_ids.value_or(groups);
  engine.region_mem_types =
      remote.region_mem_types.value_or(std::vector<std::string>(count, to_string(local.engine.memory)));
}

bool mixed_memory(const std::vector<std::string>& types) {
  return std::ranges::adjacent_find(types, std::ranges::not_equal_to{}) != types.end();
}

}  // namespace

std::optional<Rejection> add_remote_agent(const EngineSide& local, Worker& worker,
                                          const AgentMetadata& remote, std::uint64_t remote_rank,
                                          std::uint64_t remote_tp_size, std::vector<std::string>* trace) {
  const Engine& engine = local.engine;
  RemoteEngine& entry = worker.remotes[remote.engine_id];
  note(trace, "A0");
  if (entry.ready.contains(remote_rank)) return {};
  note(trace, "A2");
  if (remote.engine_id == engine.engine_id) {
    worker.remotes.erase(remote.engine_id);
    return plain("A2", Exception::assertion_error, "an engine cannot be its own remote", engine.engine_id,
                 remote.engine_id, "give each engine an id of its own");
  }
  if (!entry.topology) {
    entry.topology = Topology{remote_tp_size, remote.dcp_size, remote.block_size,
                              remote.physical_blocks_per_logical_kv_block};
  }
  note(trace, "A3");
  const std::optional<std::int64_t> ratio = region::tp_ratio(engine.tp_size, entry.topology->tp_size);
  if (!ratio) {
    return plain("A3", Exception::assertion_error, "TP sizes must divide one another",
                 std::to_string(engine.tp_size), std::to_string(entry.topology->tp_size),
                 "choose TP sizes that divide");
  }
  note(trace, "A4");
  entry.mapping = region::tp_mapping({.local_rank = engine.tp_rank,
                                      .local_size = engine.tp_size,
                                      .remote_size = entry.topology->tp_size,
                                      .kv_heads = engine.model.latent ? 1 : engine.model.kv_heads,
                                      .latent = engine.model.latent});
  note(trace, "A5");
  entry.loaded_agents.insert(remote_rank);
  note(trace, "A6");
  const std::uint64_t remote_block = entry.topology->block_size;
  if (remote_block == 0 || engine.kernel_block_size % remote_block != 0) {
    return plain("A6", Exception::assertion_error, "the prefill's block size must divide the decoder's",
                 std::to_string(engine.kernel_block_size), std::to_string(remote_block),
                 "use blocks on the prefill side that divide the decoder's");
  }
  note(trace, "A7");
  record_regions(local, remote, entry);
  note(trace, "A8");
  entry.bases[remote_rank] = remote.kv_caches_base_addr;
  note(trace, "A9");
  if (std::optional<Rejection> failed = check_today(local, remote, remote_tp_size, worker)) return failed;
  note(trace, "A10");
  if (engine.kernel_block_size / remote_block > 1) worker.local_handles.insert(remote_block);
  note(trace, "A11");
  if (*ratio < 0 && (!engine.model.latent || entry.mapping->sources.size() > 1)) {
    worker.split_handles.insert({*ratio, remote_block});
  }
  note(trace, "A12");
  if (mixed_memory(entry.region_mem_types)) {
    return plain("A12", Exception::not_implemented_error, "regions of several memory types",
                 to_string(engine.memory), "VRAM and DRAM", "keep the prefill's cache in one memory");
  }
  entry.remote_handles.insert(remote_rank);
  return {};
}

Attempt handshake_today(const EngineSide& local, const Worker& worker, std::span<const Reply> replies,
                        const std::string& expected_engine_id, std::uint64_t remote_tp_size) {
  Attempt attempt{.worker = worker};
  std::vector<std::uint64_t> ranks;
  for (const Reply& reply : replies) {
    const auto reject = [&](Rejection rejection) { attempt.rejection = std::move(rejection); };
    attempt.trace.push_back("decode payload");
    const Expected<HandshakePayload> payload = decode_payload(reply.payload, "reply");
    if (!payload) {
      reject(plain("decode payload", Exception::runtime_error, "Failed to decode NixlHandshakePayload.", "",
                   to_string(payload.error()), "run one connector version on both sides"));
      return attempt;
    }
    attempt.trace.push_back("hash");
    if (auto failed = hashes_match(local, payload->compatibility_hash)) {
      reject(*std::move(failed));
      return attempt;
    }
    attempt.trace.push_back("decode metadata");
    const Expected<AgentMetadata> metadata =
        decode_metadata(payload->agent_metadata_bytes, local.engine.behaviour, "reply");
    if (!metadata) {
      reject(plain("decode metadata", Exception::runtime_error, "Failed to decode NixlAgentMetadata.", "",
                   to_string(metadata.error()), "run one connector version on both sides"));
      return attempt;
    }
    attempt.trace.push_back("parallel config");
    if (auto failed = parallel_config(local, *metadata)) {
      reject(*std::move(failed));
      return attempt;
    }
    attempt.trace.push_back("engine id");
    if (auto failed = engine_ids_match(expected_engine_id, metadata->engine_id)) {
      reject(*std::move(failed));
      return attempt;
    }
    if (auto failed =
            add_remote_agent(local, attempt.worker, *metadata, reply.rank, remote_tp_size, &attempt.trace)) {
      attempt.trace.push_back(failed->at);
      reject(*std::move(failed));
      return attempt;
    }
    ranks.push_back(reply.rank);
  }
  // Only now does the engine become ready, for all its ranks at once.
  if (!ranks.empty()) {
    attempt.worker.remotes[expected_engine_id].ready.insert(ranks.begin(), ranks.end());
    attempt.trace.push_back("ready");
  }
  return attempt;
}

Attempt meet_today(const EngineSide& local, const EngineSide& remote) {
  Attempt attempt;
  attempt.rejection = hashes_match(local, remote.hash);
  if (attempt.rejection) return attempt;
  attempt.rejection = parallel_config(local, remote.metadata);
  if (attempt.rejection) return attempt;
  const std::uint64_t remote_tp = remote.engine.tp_size;
  std::vector<std::uint64_t> ranks = {0};
  if (region::tp_ratio(local.engine.tp_size, remote_tp)) {
    ranks = region::tp_mapping({.local_rank = local.engine.tp_rank,
                                .local_size = local.engine.tp_size,
                                .remote_size = remote_tp,
                                .kv_heads = local.engine.model.kv_heads,
                                .latent = local.engine.model.latent})
                .handshakes;
  }
  for (const std::uint64_t rank : ranks) {
    attempt.rejection = add_remote_agent(local, attempt.worker, remote.metadata, rank, remote_tp);
    if (attempt.rejection) return attempt;
  }
  attempt.worker.remotes[remote.engine.engine_id].ready.insert(ranks.begin(), ranks.end());
  return attempt;
}

}  // namespace pageproof::handshake
