#include "golden/handshake/pair.hpp"

#include "model/handshake/document.hpp"
#include "model/handshake/wire.hpp"
#include "model/region/engine_json.hpp"

namespace pageproof::golden {
namespace {

using handshake::AgentMetadata;
using handshake::EngineSide;
using handshake::HandshakePayload;
using nlohmann::ordered_json;

struct Party {
  EngineSide today;
  EngineSide proposed;
  bool described = false;
  bool hashed = true;
};

Expected<Party> party_of(const ordered_json& document, std::uint64_t kv_heads, const std::string& subject) {
  const std::string text = document.dump();
  const Expected<handshake::Document> read =
      handshake::read_document(std::as_bytes(std::span(text)), region::Behaviour::s2, subject);
  if (!read) return std::unexpected(read.error());
  if (const auto* engine = std::get_if<region::Engine>(&*read)) {
    const Expected<EngineSide> today = handshake::side_of(*engine);
    if (!today) return std::unexpected(today.error());
    const Expected<EngineSide> proposed =
        handshake::side_with_layout(*engine, today->layout, handshake::BackendInHash::no);
    if (!proposed) return std::unexpected(proposed.error());
    return Party{*today, *proposed, true, true};
  }
  const auto* payload = std::get_if<HandshakePayload>(&*read);
  const Expected<AgentMetadata> metadata =
      payload != nullptr
          ? handshake::decode_metadata(payload->agent_metadata_bytes, region::Behaviour::s2, subject)
          : std::get<AgentMetadata>(*read);
  if (!metadata) return std::unexpected(metadata.error());
  const std::optional<std::string> hash =
      payload != nullptr ? std::optional(payload->compatibility_hash) : std::nullopt;
  const Expected<EngineSide> side =
      handshake::side_of_capture(*metadata, hash, {.tp_size = 1, .kv_heads = kv_heads}, subject);
  if (!side) return std::unexpected(side.error());
  return Party{*side, *side, false, hash.has_value()};
}

// What meet_proposed() sends: the tags of all regions.
AgentMetadata tagged(const EngineSide& remote) {
  AgentMetadata metadata = remote.metadata;
  metadata.region_page_formats.emplace();
  for (const region::Region& region : remote.registration.regions)
    metadata.region_page_formats->push_back(region.page_format);
  return metadata;
}

}  // namespace

Expected<Judged> judge(const Documents& documents) {
  const Expected<Party> local = party_of(documents.local, documents.kv_heads, "local");
  if (!local) return std::unexpected(local.error());
  const Expected<Party> remote = party_of(documents.remote, 8, "remote");
  if (!remote) return std::unexpected(remote.error());
  Judged out{.local = local->today, .remote = remote->today, .facts = {}, .verdict = {}, .today = {}};
  out.captured = !local->described || !remote->described;
  const bool hash_counts = local->hashed && remote->hashed;
  if (!hash_counts) out.local.engine.enforce_handshake_compat = false;
  out.today = handshake::meet_today(out.local, out.remote);
  if (!out.captured) {
    out.verdict = handshake::meet_proposed(local->proposed, remote->proposed);
    const bool matched = local->proposed.hash == remote->proposed.hash;
    out.facts = handshake::facts_of(
        local->proposed, tagged(remote->proposed),
        {.tp_size = remote->today.engine.tp_size, .hash_matched = matched, .engine = remote->today.engine});
    return out;
  }
  const bool matched = hash_counts && out.local.hash == out.remote.hash;
  const std::optional<region::Engine> engine =
      remote->described ? std::optional(out.remote.engine) : std::nullopt;
  const handshake::RemoteKnowledge known{
      .tp_size = out.remote.engine.tp_size, .hash_matched = matched, .engine = engine};
  out.facts = handshake::facts_of(out.local, out.remote.metadata, known);
  out.verdict = hash_counts && !matched && out.local.engine.enforce_handshake_compat
                    ? handshake::meet_proposed(out.local, out.remote)
                    : handshake::negotiate(out.local, out.remote.metadata, known);
  return out;
}

std::vector<handshake::Reason> failing(const handshake::Facts& facts) {
  std::vector<handshake::Reason> reasons;
  handshake::visit_conversion_rules(facts, [&](handshake::Reason reason, bool holds) {
    if (!holds) reasons.push_back(reason);
  });
  return reasons;
}

ordered_json short_description(const region::Engine& engine) {
  const ordered_json all = region::to_json(engine);
  static const region::Engine default_engine;
  const ordered_json defaults = region::to_json(default_engine);
  ordered_json out = {{"engine_id", engine.engine_id}, {"backend", to_string(engine.backend)}};
  for (const auto& [key, value] : all.items()) {
    if (value == defaults[key] || out.contains(key)) continue;
    if (key != "model") {
      out[key] = value;
      continue;
    }
    for (const auto& [field, number] : value.items()) {
      if (number != defaults[key][field]) out[key][field] = number;
    }
  }
  // An absent platform is the backend's, an absent kernel_block_size the block_size.
  if (engine.platform != region::facts_of(engine.backend).platform)
    out["platform"] = to_string(engine.platform);
  if (engine.kernel_block_size != engine.block_size) out["kernel_block_size"] = engine.kernel_block_size;
  return out;
}

}  // namespace pageproof::golden
