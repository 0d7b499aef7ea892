// `pageproof handshake check` and `decode`: two engines, or what was captured of them, judged as today and as
// proposed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/handshake_documents.hpp"
#include "cli/json.hpp"
#include "model/handshake/document.hpp"
#include "model/handshake/hash.hpp"
#include "model/handshake/negotiate.hpp"
#include "model/handshake/receive.hpp"
#include "model/handshake/today.hpp"
#include "model/handshake/wire.hpp"
#include "model/region/engine_json.hpp"
#include "model/region/tp_mapping.hpp"

namespace pageproof::cli {
namespace {

using nlohmann::ordered_json;
using namespace handshake;

constexpr std::size_t kShownCopies = 4;
constexpr std::size_t kMostListed = std::size_t{1} << 18;  // regions of all source ranks

// One engine as it was given, for both ways of judging: as it is today, and as if it ran the RFC's connector.
struct Party {
  EngineSide today;
  EngineSide proposed;
  bool described = false;  // a description, not a capture
  bool hashed = true;      // a capture of metadata alone has no hash
};

Expected<AgentMetadata> inner_metadata(const HandshakePayload& payload, const std::string& path) {
  const std::string subject = path + " agent_metadata_bytes";
  Expected<AgentMetadata> metadata = decode_metadata(payload.agent_metadata_bytes, Behaviour::s2, subject);
  if (metadata) return metadata;
  Expected<AgentMetadata> old = decode_metadata(payload.agent_metadata_bytes, Behaviour::s0, subject);
  return old ? old : metadata;
}

// What an engine cannot have names the engine; who typed it looks for the file.
std::unexpected<Error> of_file(Error error, const std::string& path) {
  error.subject = path;
  return std::unexpected(std::move(error));
}

Expected<Party> described(const region::Engine& engine, const std::string& path,
                          const HandshakeCheckOptions& options) {
  Expected<EngineSide> today = side_of(engine);
  if (!today) return of_file(today.error(), path);
  Expected<EngineSide> proposed = side_with_layout(
      engine, today->layout, options.backend_in_hash ? BackendInHash::yes : BackendInHash::no);
  if (!proposed) return of_file(proposed.error(), path);
  return Party{*std::move(today), *std::move(proposed), true, true};
}

Expected<Party> party_of(const Named& named, std::uint64_t tp_size, const HandshakeCheckOptions& options) {
  const auto& [document, path] = named;
  if (const auto* engine = std::get_if<region::Engine>(&document)) return described(*engine, path, options);
  if (tp_size == 0 || tp_size > region::kMostRanks) {
    return std::unexpected(Error{path, "TP size", std::to_string(tp_size),
                                 fmt::format("not within 1 to {}", region::kMostRanks)});
  }
  if (options.kv_heads == 0)
    return std::unexpected(Error{path, "--kv-heads", "0", "a model has at least 1 KV head"});
  const auto* payload = std::get_if<HandshakePayload>(&document);
  const Expected<AgentMetadata> metadata =
      payload != nullptr ? inner_metadata(*payload, path) : std::get<AgentMetadata>(document);
  if (!metadata) return std::unexpected(metadata.error());
  const std::optional<std::string> hash =
      payload != nullptr ? std::optional(payload->compatibility_hash) : std::nullopt;
  Expected<EngineSide> side =
      side_of_capture(*metadata, hash, {.tp_size = tp_size, .kv_heads = options.kv_heads}, path);
  if (!side) return std::unexpected(side.error());
  return Party{*side, *side, false, hash.has_value()};
}

Verdict judged(const Party& local, const Party& remote, bool hash_counts, const Policy& policy) {
  if (local.described && remote.described) return meet_proposed(local.proposed, remote.proposed, policy);
  // A capture's hash has the backend's name in it.
  const bool matched = hash_counts && local.today.hash == remote.today.hash;
  if (hash_counts && !matched && local.today.engine.enforce_handshake_compat) {
    return meet_proposed(local.today, remote.today, policy);
  }
  std::optional<region::Engine> engine;
  if (remote.described) engine = remote.today.engine;
  return negotiate(local.today, remote.today.metadata,
                   {.tp_size = remote.today.engine.tp_size, .hash_matched = matched, .engine = engine},
                   policy);
}

std::string summary(const Party& party) {
  const EngineSide& side = party.today;
  const std::string tag = party.described ? region::page_format_of(side.engine) : tag_of(side.metadata);
  return fmt::format("{}: {}, {}, {}, {} regions of {} B, {}-token blocks{}",
                     printable(side.engine.engine_id),
                     party.described ? to_string(side.engine.backend) : side.metadata.attn_backend_name,
                     side.metadata.kv_cache_layout, tag.empty() ? "no page-format tag" : printable(tag),
                     side.registration.regions.size(),
                     side.metadata.block_lens.empty() ? 0 : side.metadata.block_lens.front(),
                     side.engine.kernel_block_size, party.described ? "" : " (captured)");
}

// What a read of the first block would copy: a few lines, and how many there are.
void add_landing(const EngineSide& local, const AgentMetadata& seen, std::uint64_t remote_tp,
                 const std::string& title, bool permute, bool repack, std::string& text, ordered_json& json) {
  std::map<std::uint64_t, AgentMetadata> sources;
  const region::TpMapping mapping = region::tp_mapping({.local_rank = local.engine.tp_rank,
                                                        .local_size = local.engine.tp_size,
                                                        .remote_size = remote_tp,
                                                        .kv_heads = local.engine.model.kv_heads,
                                                        .latent = local.engine.model.latent});
  if (mapping.sources.size() > kMostListed / std::max<std::size_t>(1, local.registration.regions.size())) {
    text += fmt::format("lands   {}: {} regions of {} ranks, more than are listed\n", title,
                        local.registration.regions.size(), mapping.sources.size());
    return;
  }
  for (const std::uint64_t rank : mapping.sources) sources[rank] = seen;
  const std::uint64_t ratio = seen.block_size == 0 ? 1 : local.engine.block_size / seen.block_size;
  std::vector<std::uint64_t> remote_blocks;
  const std::uint64_t per_logical = std::max<std::uint64_t>(1, seen.physical_blocks_per_logical_kv_block);
  for (std::uint64_t i = 0; i < std::max<std::uint64_t>(1, ratio / per_logical); ++i)
    remote_blocks.push_back(i);
  const Expected<PlannedRead> read =
      planned_read(local, sources, remote_tp, {{0}}, {remote_blocks}, permute, repack);
  if (!read || read->refused) {
    text +=
        fmt::format("lands   {}: {}\n", title, read ? to_string(*read->refused) : to_string(read.error()));
    return;
  }
  text +=
      fmt::format("lands   {}: block 0 is read by {} copies{}{}{}\n", title, read->copies.size(),
                  read->after.permutes ? ", then permuted" : "",
                  read->after.regroups > 1 ? fmt::format(", then regrouped by {}", read->after.regroups) : "",
                  read->after.repacks ? ", then repacked" : "");
  ordered_json copies = ordered_json::array();
  for (std::size_t i = 0; i < read->copies.size(); ++i) {
    const Copy& copy = read->copies[i];
    if (i < kShownCopies) {
      text += fmt::format("        {:#x} <- rank {} {:#x}, {} B\n", copy.local, copy.source, copy.remote,
                          copy.bytes);
      copies.push_back(
          {{"local", copy.local}, {"remote", copy.remote}, {"bytes", copy.bytes}, {"rank", copy.source}});
    }
  }
  if (read->copies.size() > kShownCopies)
    text += fmt::format("        and {} more\n", read->copies.size() - kShownCopies);
  json[title] = {{"copies", read->copies.size()}, {"first", copies}};
}

ordered_json described_factors(const std::vector<FactorDifference>& found) {
  ordered_json out = ordered_json::array();
  for (const FactorDifference& one : found) {
    out.push_back({{"factor", one.name}, {"local", one.local}, {"remote", one.remote}});
  }
  return out;
}

ordered_json described_verdict(const Verdict& verdict) {
  return {{"accepted", verdict.accepted()},
          {"outcome", to_string(verdict.outcome)},
          {"reason", to_string(verdict.reason)},
          {"verdict", to_string(verdict)},
          {"rule", verdict.rule},
          {"local", verdict.local},
          {"remote", verdict.remote},
          {"change", verdict.change},
          {"warnings", verdict.warnings},
          {"extras", names(verdict.extras)}};
}

// A decoder compares the hash before it looks at the metadata inside (spec §1.5), so that a payload of
// another connector, whose metadata need not decode, is refused for its hash. Empty: the metadata is to be
// looked at.
std::optional<Judged> refused_by_hash(const Party& local, const Named& remote) {
  const auto* payload = std::get_if<HandshakePayload>(&remote.document);
  if (payload == nullptr || !local.hashed || !local.today.engine.enforce_handshake_compat) return {};
  const Expected<AgentMetadata> metadata = inner_metadata(*payload, remote.subject);
  if (metadata || payload->compatibility_hash == local.today.hash) return {};
  const Reply reply{0, encode(*payload)};
  const Attempt today = handshake_today(local.today, {}, {&reply, 1}, "", 1);
  const ProposedAttempt proposed = handshake_proposed(local.today, {}, {&reply, 1}, "", 1);
  const std::string said_today = "rejected: " + to_string(*today.rejection);
  const std::string said_remote = "metadata that does not decode: " + to_string(metadata.error());
  Judged report{.holds = false,
                .text = "",
                .json = {{"local", summary(local)},
                         {"remote", said_remote},
                         {"today", {{"accepted", false}, {"verdict", said_today}}},
                         {"proposed", described_verdict(proposed.verdict)},
                         {"hash_equal", false},
                         {"lands", ordered_json::object()}}};
  report.text = fmt::format(
      "local   {}\nremote  {}\ntoday   {}\nRFC     {}\nhash    differs; a capture does not tell in what\n",
      summary(local), said_remote, said_today, to_string(proposed.verdict));
  return report;
}

}  // namespace

Expected<Judged> check_documents(const Named& local_document, const Named& remote_document,
                                 const HandshakeCheckOptions& options) {
  const Expected<Party> local = party_of(local_document, options.local_tp, options);
  if (!local) return std::unexpected(local.error());
  if (std::optional<Judged> refused = refused_by_hash(*local, remote_document)) return *std::move(refused);
  const Expected<Party> remote = party_of(remote_document, options.remote_tp, options);
  if (!remote) return std::unexpected(remote.error());

  const Expected<Extras> allowed = parse_extras(options.allow, "--allow");
  if (!allowed) return std::unexpected(allowed.error());
  const bool hash_counts = local->hashed && remote->hashed;
  EngineSide judge = local->today;
  if (!hash_counts) judge.engine.enforce_handshake_compat = false;
  const Attempt today = meet_today(judge, remote->today);
  Party proposing = *local;
  proposing.today = judge;
  const Verdict verdict =
      judged(proposing, *remote, hash_counts, {.strict_reader = options.strict_reader, .allowed = *allowed});
  const auto accepts = [&](const Extras& extras) {
    return judged(proposing, *remote, hash_counts,
                  {.strict_reader = options.strict_reader, .allowed = extras})
        .accepted();
  };
  const auto serve = names(verdict.accepted() ? Extras{} : extras_that_serve(*allowed, accepts));

  Judged report{.holds = verdict.accepted(),
                .text = "",
                .json = {{"local", summary(*local)}, {"remote", summary(*remote)}}};
  ordered_json& json = report.json;
  report.text = fmt::format("local   {}\nremote  {}\n", summary(*local), summary(*remote));
  const std::string said_today = today.accepted() ? "accepted" : "rejected: " + to_string(*today.rejection);
  report.text += fmt::format("today   {}\n", said_today);
  report.text += fmt::format("RFC     {}\n", to_string(verdict));
  if (!serve.empty()) {
    report.text +=
        fmt::format("allow   --allow {} would accept the pair and convert it\n", fmt::join(serve, ","));
  }
  for (const std::string& warning : verdict.warnings) report.text += fmt::format("warning {}\n", warning);
  json["today"] = {{"accepted", today.accepted()}, {"verdict", said_today}};
  json["proposed"] = described_verdict(verdict);
  json["proposed"]["extras_that_serve"] = serve;
  if (local->described && remote->described) {
    const auto found = differences(hash_factors(local->today.engine), hash_factors(remote->today.engine));
    report.text += found.empty() ? "hash    equal\n" : "";
    for (const FactorDifference& one : found) {
      report.text +=
          fmt::format("hash    differs in {}: local {}, remote {}\n", one.name, one.local, one.remote);
    }
    json["hash_differences"] = described_factors(found);
  } else if (hash_counts) {
    const bool equal = local->today.hash == remote->today.hash;
    report.text += fmt::format("hash    {}\n", equal ? "equal" : "differs; a capture does not tell in what");
    json["hash_equal"] = equal;
  } else {
    report.text += "hash    not compared: metadata alone has none\n";
  }
  json["lands"] = ordered_json::object();
  const std::uint64_t remote_tp = remote->today.engine.tp_size;
  if (today.accepted()) {
    add_landing(judge, remote->today.metadata, remote_tp, "today", today.worker.permute, today.worker.repack,
                report.text, json["lands"]);
  }
  if (verdict.accepted()) {
    add_landing(judge, verdict.seen, remote_tp, "RFC", verdict.permutes, verdict.outcome == Outcome::repack,
                report.text, json["lands"]);
  }
  return report;
}

Result handshake_check(const HandshakeCheckOptions& options) {
  const Expected<Document> local = read_document_file(options.local, Behaviour::s2);
  if (!local) return std::unexpected(local.error());
  const Expected<Document> remote = read_document_file(options.remote, Behaviour::s2);
  if (!remote) return std::unexpected(remote.error());
  Expected<Judged> judged = check_documents({*local, options.local}, {*remote, options.remote}, options);
  if (!judged) return std::unexpected(judged.error());
  return Report{.holds = judged->holds, .text = std::move(judged->text), .json = one_document(judged->json)};
}

Expected<ordered_json> shown_document(const Named& named, bool s0) {
  const Behaviour behaviour = s0 ? Behaviour::s0 : Behaviour::s2;
  const auto& [document, subject] = named;
  ordered_json json;
  if (const auto* engine = std::get_if<region::Engine>(&document)) {
    json = {{"kind", "engine description"}, {"engine", region::to_json(*engine)}};
    const Expected<EngineSide> side = side_of(*engine);
    if (!side) return of_file(side.error(), subject);
    json["compatibility_hash"] = side->hash;
    json["metadata"] = to_json(side->metadata, engine->behaviour);
  } else if (const auto* payload = std::get_if<HandshakePayload>(&document)) {
    json = {{"kind", "handshake payload"}, {"compatibility_hash", payload->compatibility_hash}};
    const Expected<AgentMetadata> metadata =
        decode_metadata(payload->agent_metadata_bytes, behaviour, subject + " agent_metadata_bytes");
    if (!metadata) return std::unexpected(metadata.error());
    json["metadata"] = to_json(*metadata, behaviour);
  } else {
    json = {{"kind", "agent metadata"}, {"metadata", to_json(std::get<AgentMetadata>(document), behaviour)}};
  }
  return json;
}

Result handshake_decode(const HandshakeDecodeOptions& options) {
  const Expected<Document> document =
      read_document_file(options.input, options.s0 ? Behaviour::s0 : Behaviour::s2);
  if (!document) return std::unexpected(document.error());
  const Expected<ordered_json> json = shown_document({*document, options.input}, options.s0);
  if (!json) return std::unexpected(json.error());
  const std::string text = one_document(*json);
  return Report{.holds = true, .text = text, .json = text};
}

}  // namespace pageproof::cli
