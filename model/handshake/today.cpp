#include "model/handshake/today.hpp"

#include <fmt/format.h>

#include <set>

#include "model/handshake/agent.hpp"
#include "model/handshake/wire.hpp"

namespace pageproof::handshake {
namespace {

using region::Engine;

Rejection plain(std::string at, Exception exception, std::string message, std::string local,
                std::string remote, std::string change) {
  return {std::move(at),    0, exception, std::move(message), std::move(local), std::move(remote),
          std::move(change)};
}

std::optional<Rejection> hashes_match(const EngineSide& local, const std::string& remote_hash) {
  // With the check switched off a mismatch is accepted silently.
  if (!local.engine.enforce_handshake_compat || remote_hash == local.hash) return {};
  return plain("hash", Exception::runtime_error, "NIXL compatibility hash mismatch.", local.hash, remote_hash,
               "make the factors of the hash equal, or set enforce_handshake_compat to false on the decoder");
}

std::optional<Rejection> engine_ids_match(const std::string& expected, const std::string& found) {
  if (expected == found) return {};
  return plain("engine id", Exception::runtime_error, "Remote NIXL agent engine ID mismatch.", expected,
               found, "the prefill behind this address was replaced: send the request to the new one");
}

struct HandshakeContext {
  using Failure = Rejection;

  const EngineSide& local;
  std::span<const Reply> replies;
  const std::string& engine_id;
  std::uint64_t tp_size;
  Attempt& attempt;
  const Watch& watch;

  std::size_t at = 0;  // the reply that is looked at
  HandshakePayload payload = {};
  AgentMetadata metadata = {};

  void enter(const std::string& step) const {
    attempt.trace.push_back(step);
    if (watch) watch(step, attempt.worker);
  }
};
using Failed = std::optional<Rejection>;

Failed decoded_payload(HandshakeContext& c) {
  Expected<HandshakePayload> payload = decode_payload(c.replies[c.at].payload, "reply");
  if (!payload) {
    return plain("decode payload", Exception::runtime_error, "Failed to decode NixlHandshakePayload.", "",
                 to_string(payload.error()), "run one connector version on both sides");
  }
  c.payload = *std::move(payload);
  return {};
}

Failed decoded_metadata(HandshakeContext& c) {
  Expected<AgentMetadata> metadata =
      decode_metadata(c.payload.agent_metadata_bytes, c.local.engine.behaviour, "reply");
  if (!metadata) {
    return plain("decode metadata", Exception::runtime_error, "Failed to decode NixlAgentMetadata.", "",
                 to_string(metadata.error()), "run one connector version on both sides");
  }
  c.metadata = *std::move(metadata);
  return {};
}

Failed added(HandshakeContext& c, const Machine<AgentContext>& machine, const std::string&) {
  AgentContext agent{.local = c.local,
                     .worker = c.attempt.worker,
                     .remote = c.metadata,
                     .rank = c.replies[c.at].rank,
                     .tp_size = c.tp_size,
                     .watch = [&c](const std::string& step) { c.enter(step); }};
  return machine.run(agent);
}

// Only now does the engine become ready, for all its ranks at once.
void remember_ranks(HandshakeContext& c) {
  std::set<std::uint64_t>& ready = c.attempt.worker.remotes[c.engine_id].ready;
  for (const Reply& reply : c.replies) ready.insert(reply.rank);
}

Machine<HandshakeContext> made(region::Behaviour behaviour) {
  using C = HandshakeContext;
  Machine<C> machine;
  machine.check("decode payload", {}, decoded_payload)
      .check("hash", {}, [](C& c) { return hashes_match(c.local, c.payload.compatibility_hash); })
      .check("decode metadata", {}, decoded_metadata);
  if (behaviour != region::Behaviour::s0) {
    machine.check("parallel config", {}, [](C& c) { return parallel_config_today(c.local, c.metadata); });
  }
  machine.check("engine id", {}, [](C& c) { return engine_ids_match(c.engine_id, c.metadata.engine_id); })
      .within<AgentContext>("add_remote_agent", agent_machine(behaviour, Meets::perhaps_again), "", false,
                            added)
      .effect("next reply", {}, [](C& c) { ++c.at; })
      .choice("further rank", {{"another rank", "decode payload"}, {"all answered", "remember ranks"}},
              [](const C& c) -> std::size_t { return c.at < c.replies.size() ? 0 : 1; })
      .effect("remember ranks", {Mark::ready}, remember_ranks);
  return std::move(machine.finished());
}

const Machine<HandshakeContext>& machine_of(region::Behaviour behaviour) {
  static const Machine<HandshakeContext> s0 = made(region::Behaviour::s0);
  static const Machine<HandshakeContext> s2 = made(region::Behaviour::s2);
  return behaviour == region::Behaviour::s0 ? s0 : s2;
}

}  // namespace

std::optional<Rejection> parallel_config_today(const EngineSide& local, const AgentMetadata& remote) {
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

std::optional<Rejection> add_remote_agent(const EngineSide& local, Worker& worker,
                                          const AgentMetadata& remote, std::uint64_t remote_rank,
                                          std::uint64_t remote_tp_size) {
  AgentContext agent{
      .local = local, .worker = worker, .remote = remote, .rank = remote_rank, .tp_size = remote_tp_size};
  return agent_machine(local.engine.behaviour, Meets::perhaps_again).run(agent);
}

Outline outline_today(region::Behaviour behaviour) {
  return *machine_of(behaviour).outline();
}

Attempt handshake_today(const EngineSide& local, const Worker& worker, std::span<const Reply> replies,
                        const std::string& expected_engine_id, std::uint64_t remote_tp_size,
                        const Watch& watch) {
  Attempt attempt{.worker = worker};
  if (replies.empty()) return attempt;
  HandshakeContext context{.local = local,
                           .replies = replies,
                           .engine_id = expected_engine_id,
                           .tp_size = remote_tp_size,
                           .attempt = attempt,
                           .watch = watch};
  attempt.rejection = machine_of(local.engine.behaviour).run(context);
  context.enter(attempt.rejection ? kRejected : kReady);
  return attempt;
}

Attempt meet_today(const EngineSide& local, const EngineSide& remote) {
  Attempt attempt;
  attempt.rejection = hashes_match(local, remote.hash);
  if (attempt.rejection) return attempt;
  attempt.rejection = parallel_config_today(local, remote.metadata);
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
