#include "fuzz/decoders/engines.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "model/handshake/document.hpp"
#include "model/handshake/negotiate.hpp"
#include "model/handshake/receive.hpp"
#include "model/handshake/today.hpp"

namespace pageproof::fuzz {
namespace {

using namespace handshake;

constexpr std::uint64_t kMostRegions = 256;

EngineSide decoder(bool shuffled) {
  region::Engine engine;
  engine.engine_id = "decode";
  engine.model.layers = 2;
  engine.shuffle = shuffled;
  engine.announces_page_format = true;
  engine.convert_page_format = true;
  const Expected<EngineSide> side =
      side_with_layout(engine, shuffled ? region::Layout::lhbnc : region::Layout::lbhnc);
  must(side.has_value(), "the decoders of the targets exist");
  return *side;
}

const std::array<EngineSide, 2>& decoders() {
  static const std::array<EngineSide, 2> both{decoder(true), decoder(false)};
  return both;
}

// The first block, as far as the read can be planned: refused or not, it must answer.
void read_first_block(const EngineSide& local, const AgentMetadata& seen, std::uint64_t remote_tp,
                      bool permute, bool repack) {
  const region::TpMapping mapping = region::tp_mapping({.local_rank = local.engine.tp_rank,
                                                        .local_size = local.engine.tp_size,
                                                        .remote_size = remote_tp,
                                                        .kv_heads = local.engine.model.kv_heads,
                                                        .latent = local.engine.model.latent});
  std::map<std::uint64_t, AgentMetadata> sources;
  for (const std::uint64_t rank : mapping.sources) sources[rank] = seen;
  const Expected<PlannedRead> read = planned_read(local, sources, remote_tp, {{0}}, {{0}}, permute, repack);
  if (!read) must_be_one_line(read.error());
}

void meet(const EngineSide& local, const EngineSide& remote, const Verdict& verdict) {
  const Attempt today = meet_today(local, remote);
  const std::uint64_t remote_tp = remote.engine.tp_size;
  if (today.accepted()) {
    read_first_block(local, remote.metadata, remote_tp, today.worker.permute, today.worker.repack);
  } else {
    must(!to_string(*today.rejection).empty(), "a rejection has a reason");
  }
  must(!to_string(verdict).empty(), "a verdict reads as a sentence");
  must(verdict.accepted() == (verdict.reason == Reason::none), "a rejection has a reason");
  if (verdict.accepted()) {
    read_first_block(local, verdict.seen, remote_tp, verdict.permutes, verdict.outcome == Outcome::repack);
  }
}

}  // namespace

void judge_reply(Bytes payload) {
  const std::vector<Reply> replies{{0, {payload.begin(), payload.end()}}};
  for (const EngineSide& local : decoders()) {
    // A decoder that enforces no hash looks at the metadata of every peer.
    EngineSide trusting = local;
    trusting.engine.enforce_handshake_compat = false;
    for (const EngineSide* side : {&local, &std::as_const(trusting)}) {
      const Attempt today = handshake_today(*side, {}, replies, "prefill", 1);
      must(today.accepted() || !to_string(*today.rejection).empty(), "a rejection has a reason");
      const ProposedAttempt proposed = handshake_proposed(*side, {}, replies, "prefill", 1);
      must(proposed.verdict.accepted() == !proposed.accepted.empty(), "only what is accepted is kept");
    }
  }
}

void judge_metadata(const AgentMetadata& metadata, const std::optional<std::string>& hash) {
  for (const std::uint64_t tp_size : {1, 2}) {
    const Expected<EngineSide> remote =
        side_of_capture(metadata, hash, {.tp_size = tp_size, .kv_heads = 8}, "input");
    if (!remote) {
      must_be_one_line(remote.error());
      return;
    }
    for (EngineSide local : decoders()) {
      local.engine.enforce_handshake_compat = hash.has_value();
      meet(local, *remote,
           negotiate(local, remote->metadata, {.tp_size = tp_size, .hash_matched = true, .engine = {}}));
    }
  }
}

void judge_engine(const region::Engine& engine) {
  const std::uint64_t slots = std::max<std::uint64_t>(region::kv_heads_of_rank(engine), 2);
  if (engine.model.layers * slots > kMostRegions) return;
  const Expected<EngineSide> side = side_of(engine);
  if (!side) {
    must_be_one_line(side.error());
    return;
  }
  for (const EngineSide& local : decoders()) {
    meet(local, *side, meet_proposed(local, *side));
    meet(*side, local, meet_proposed(*side, local));
  }
}

}  // namespace pageproof::fuzz
