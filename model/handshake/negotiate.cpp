#include "model/handshake/negotiate.hpp"

#include <fmt/format.h>

#include <array>

#include "model/handshake/reader.hpp"
#include "model/handshake/wire.hpp"
#include "model/region/descriptor.hpp"

namespace pageproof::handshake {
namespace {

using region::Backend;
using region::Layout;

// The first rule that fails, told.
struct Failed {
  Reason reason = Reason::none;
  Told told = {};
};

// Which rules a pair of formats is asked.
enum class Table : std::uint8_t { conversion, match };

template <class Number, class Truth, class Visit>
void visit_rules(Table table, const PairFacts<Number, Truth>& facts, Visit&& visit) {
  if (table == Table::conversion) {
    visit_conversion_rules(facts, visit);
  } else {
    visit_match_rules(facts, visit);
  }
}

Reason first_failing(Table table, const Facts& facts) {
  Reason first = Reason::none;
  visit_rules(table, facts, [&](Reason reason, bool holds) {
    if (!holds && first == Reason::none) first = reason;
  });
  return first;
}

// The bool table decides; the told one is run for its words alone.
Verdict apply(Table table, const EngineSide& local, const AgentMetadata& remote,
              const RemoteKnowledge& known) {
  Verdict verdict;
  verdict.reason = first_failing(table, facts_of(local, remote, known));
  if (verdict.reason == Reason::none) return verdict;
  visit_rules(table, told_facts(local, remote, known), [&](Reason reason, const Told& told) {
    if (reason != verdict.reason) return;
    verdict.rule = told.text;
    verdict.local = told.local;
    verdict.remote = told.remote;
  });
  verdict.change = facts_of(verdict.reason).change;
  return verdict;
}

Verdict rejected(Reason reason, std::string local, std::string remote) {
  Verdict verdict{.reason = reason, .rule = std::string(facts_of(reason).sentence)};
  verdict.local = std::move(local);
  verdict.remote = std::move(remote);
  verdict.change = facts_of(reason).change;
  return verdict;
}

// Today's checks, on a worker that knows nothing else: no flag and no entry outlives the verdict.
Verdict checked_today(const EngineSide& local, AgentMetadata remote, const RemoteKnowledge& known,
                      Outcome outcome) {
  Worker scratch;
  Verdict verdict;
  verdict.check = add_remote_agent(local, scratch, remote, 0, known.tp_size);
  if (verdict.check) {
    verdict.reason = Reason::todays_check;
    verdict.rule = fmt::format("{}: {}: {}", verdict.check->at, to_string(verdict.check->exception),
                               verdict.check->message);
    verdict.local = verdict.check->local;
    verdict.remote = verdict.check->remote;
    verdict.change = verdict.check->change;
    return verdict;
  }
  verdict.outcome = outcome;
  verdict.permutes = scratch.permute;
  verdict.seen = std::move(remote);
  return verdict;
}

Verdict match(EngineSide local, const AgentMetadata& remote, const RemoteKnowledge& known,
              const Policy& policy) {
  // The permute branch as proposed: it never touches a cache that is not LBNHC.
  const bool standard = region::page_format_of(local.engine) == region::kStandard;
  if (local.layout != Layout::lbnhc || !standard) local.engine.enable_permute_local_kv = false;
  if (policy.match_rules) {
    const Verdict verdict = apply(Table::match, local, remote, known);
    if (verdict.reason != Reason::none) {
      // Where today's checks reject as well, theirs is the nearer reason.
      Verdict today = checked_today(local, remote, known, Outcome::match);
      return today.accepted() ? verdict : today;
    }
  }
  return checked_today(local, remote, known, Outcome::match);
}

Verdict convert(const EngineSide& local, const AgentMetadata& remote, const RemoteKnowledge& known) {
  const Verdict verdict = apply(Table::conversion, local, remote, known);
  if (verdict.reason != Reason::none) return verdict;
  return checked_today(local, virtual_metadata(remote, local.layout), known, Outcome::convert);
}

// The existing repack of standard pages for CPU_ATTN (#38935): the same blocks, rewritten by the backend's
// own writer.
Verdict repack(EngineSide local, const AgentMetadata& remote, const RemoteKnowledge& known) {
  const std::string bytes = fmt::format("{} bytes an element", region::element_bytes_of(local.engine));
  if (region::element_bytes_of(local.engine) == 1) return rejected(Reason::dtype_out_of_scope, bytes, "");
  local.engine.enable_permute_local_kv = false;  // it would move rows of runs that are no rows yet
  const Verdict verdict = apply(Table::match, local, remote, known);
  if (verdict.reason != Reason::none) return verdict;
  return checked_today(local, remote, known, Outcome::repack);
}

Verdict by_tags(const EngineSide& local, const AgentMetadata& remote, const RemoteKnowledge& known,
                const Policy& policy) {
  const std::string local_tag = region::page_format_of(local.engine);
  const std::string remote_tag = tag_of(remote);
  if (remote_tag.empty() && local_tag != region::kStandard && !local.engine.model.latent) {
    return rejected(Reason::tag_missing, local_tag, "none");
  }
  if (remote_tag == local_tag || remote_tag.empty()) return match(local, remote, known, policy);
  if (remote_tag == region::kStandard && local.engine.backend == Backend::cpu_attn &&
      local_tag == region::kCpuVec) {
    return repack(local, remote, known);
  }
  return convert(local, remote, known);
}

}  // namespace

AgentMetadata virtual_metadata(const AgentMetadata& remote, Layout local_layout) {
  AgentMetadata seen = remote;
  seen.kv_cache_layout = to_string(local_layout);
  seen.kv_caches_base_addr.clear();
  seen.block_lens.clear();
  seen.block_strides.emplace();
  seen.region_num_blocks.emplace();
  seen.region_group_ids.emplace();
  seen.region_mem_types.emplace();
  if (remote.region_names) seen.region_names.emplace();
  if (remote.region_page_formats) seen.region_page_formats.emplace();
  const Expected<std::vector<region::Region>> regions = regions_of(remote, "");
  for (const region::Region& half : region::virtual_halves(*regions)) {
    seen.kv_caches_base_addr.push_back(half.base);
    seen.block_lens.push_back(half.block_len);
    seen.block_strides->push_back(half.block_stride);
    seen.region_num_blocks->push_back(half.num_blocks);
    seen.region_group_ids->push_back(half.group);
    seen.region_mem_types->push_back(to_string(half.memory));
    if (seen.region_names) seen.region_names->push_back(half.name);
    if (seen.region_page_formats) seen.region_page_formats->push_back(half.page_format);
  }
  return seen;
}

Verdict negotiate(const EngineSide& local, const AgentMetadata& remote, const RemoteKnowledge& known,
                  const Policy& policy) {
  const Expected<std::vector<region::Region>> regions = regions_of(remote, "metadata");
  if (!regions) {
    const Error& error = regions.error();
    return rejected(Reason::malformed, "", fmt::format("{} {}: {}", error.field, error.value, error.problem));
  }
  Verdict verdict = by_tags(local, remote, known, policy);
  if (!verdict.accepted()) return verdict;
  verdict.warnings = reader_traps(local);
  if (policy.strict_reader && !verdict.warnings.empty()) {
    Verdict trapped = rejected(Reason::reader_trap, verdict.warnings.front(), "");
    trapped.warnings = std::move(verdict.warnings);
    return trapped;
  }
  return verdict;
}

Verdict meet_proposed(const EngineSide& local, const EngineSide& remote, const Policy& policy) {
  if (local.engine.enforce_handshake_compat && local.hash != remote.hash) {
    Verdict verdict = rejected(Reason::todays_check, local.hash, remote.hash);
    verdict.rule = "hash: RuntimeError: NIXL compatibility hash mismatch.";
    verdict.change = "make the factors of the hash equal";
    return verdict;
  }
  AgentMetadata metadata = remote.metadata;
  std::vector<std::string> tags;
  for (const region::Region& region : remote.registration.regions) tags.push_back(region.page_format);
  metadata.region_page_formats = std::move(tags);
  return negotiate(
      local, metadata,
      {.tp_size = remote.engine.tp_size, .hash_matched = local.hash == remote.hash, .engine = remote.engine},
      policy);
}

ProposedAttempt handshake_proposed(const EngineSide& local, const Acceptances& before,
                                   std::span<const Reply> replies, const std::string& expected_engine_id,
                                   std::uint64_t remote_tp_size, const Policy& policy) {
  ProposedAttempt attempt{.accepted = before};
  Acceptance acceptance;
  for (const Reply& reply : replies) {
    const auto stop = [&](std::string rule, std::string mine, std::string theirs) {
      attempt.verdict = rejected(Reason::todays_check, std::move(mine), std::move(theirs));
      attempt.verdict.rule = std::move(rule);
      return attempt;
    };
    attempt.trace.push_back("decode payload");
    const Expected<HandshakePayload> payload = decode_payload(reply.payload, "reply");
    if (!payload) return stop("Failed to decode NixlHandshakePayload.", "", to_string(payload.error()));
    attempt.trace.push_back("hash");
    const bool matched = payload->compatibility_hash == local.hash;
    if (!matched && local.engine.enforce_handshake_compat) {
      return stop("NIXL compatibility hash mismatch.", local.hash, payload->compatibility_hash);
    }
    attempt.trace.push_back("decode metadata");
    const Expected<AgentMetadata> metadata =
        decode_metadata(payload->agent_metadata_bytes, local.engine.behaviour, "reply");
    if (!metadata) return stop("Failed to decode NixlAgentMetadata.", "", to_string(metadata.error()));
    attempt.trace.push_back("engine id");
    if (metadata->engine_id != expected_engine_id) {
      return stop("Remote NIXL agent engine ID mismatch.", expected_engine_id, metadata->engine_id);
    }
    attempt.trace.push_back("negotiate");
    attempt.verdict = negotiate(local, *metadata,
                                {.tp_size = remote_tp_size, .hash_matched = matched, .engine = {}}, policy);
    if (!attempt.verdict.accepted()) return attempt;
    acceptance.outcome = attempt.verdict.outcome;
    acceptance.permutes = attempt.verdict.permutes;
    acceptance.seen[reply.rank] = attempt.verdict.seen;
  }
  if (replies.empty()) return attempt;
  attempt.accepted[expected_engine_id] = std::move(acceptance);
  attempt.trace.push_back("ready");
  return attempt;
}

std::string_view to_string(Outcome outcome) {
  constexpr std::array<std::string_view, 4> names = {"match", "convert", "repack", "rejected"};
  return names[static_cast<std::size_t>(outcome)];
}

std::string to_string(const Verdict& v) {
  if (v.outcome == Outcome::match) return "accepted: the page formats are equal";
  if (v.outcome == Outcome::convert) return "accepted: standard pages are converted after the read";
  if (v.outcome == Outcome::repack)
    return "accepted: standard pages are repacked for CPU_ATTN after the read";
  std::string line = fmt::format("rejected ({}): ", to_string(v.reason));
  line += v.reason == Reason::todays_check ? v.rule : std::string(facts_of(v.reason).sentence);
  if (!v.local.empty()) line += ": local " + v.local;
  if (!v.remote.empty()) line += fmt::format("{} remote {}", v.local.empty() ? ":" : ",", v.remote);
  if (!v.change.empty()) line += "; " + v.change;
  return line;
}

std::string knob_entry() {
  std::string entry = fmt::format(
      "### `{}`\n\n"
      "A key of `kv_connector_extra_config`, read by the decoder; `false` by default. With `true` a decoder "
      "with\n"
      "AITER-shuffled pages accepts a prefill with standard pages and converts them after each read. Pairs "
      "of equal\n"
      "page formats are not affected. A pair is refused, with the first of these reasons, when:\n\n",
      kKnob);
  for (const ReasonFacts& facts : reasons()) {
    if (facts.reason < kFirstConversionReason || facts.reason > kLastConversionReason) continue;
    entry += fmt::format("- `{}`: {}\n", facts.name, facts.sentence);
  }
  return entry;
}

}  // namespace pageproof::handshake
