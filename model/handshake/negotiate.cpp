#include "model/handshake/negotiate.hpp"

#include <fmt/format.h>

#include <array>

#include "model/handshake/agent.hpp"
#include "model/handshake/reader.hpp"
#include "model/handshake/wire.hpp"
#include "model/region/descriptor.hpp"

namespace pageproof::handshake {
namespace {

using region::Backend;
using region::Layout;

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

// The verdict where this rule is the first that fails; the told table is run for its words alone.
Verdict told_verdict(Table table, Reason reason, const EngineSide& local, const AgentMetadata& remote,
                     const RemoteKnowledge& known) {
  Verdict verdict;
  verdict.reason = reason;
  visit_rules(table, told_facts(local, remote, known), [&](Reason visited, const Told& told) {
    if (visited != reason) return;
    verdict.rule = told.text;
    verdict.local = told.local;
    verdict.remote = told.remote;
  });
  verdict.change = facts_of(reason).change;
  return verdict;
}

Verdict rejected(Reason reason, std::string local, std::string remote) {
  Verdict verdict{.reason = reason, .rule = std::string(facts_of(reason).sentence)};
  verdict.local = std::move(local);
  verdict.remote = std::move(remote);
  verdict.change = facts_of(reason).change;
  return verdict;
}

Verdict rejected(Rejection check) {
  Verdict verdict = rejected(Reason::todays_check, check.local, check.remote);
  verdict.rule = fmt::format("{}: {}: {}", check.at, to_string(check.exception), check.message);
  verdict.change = check.change;
  verdict.check = std::move(check);
  return verdict;
}

struct NegotiationContext {
  using Failure = Verdict;

  const EngineSide& local;
  const AgentMetadata& remote;
  const RemoteKnowledge& known;
  std::function<void(const std::string& step)> watch = {};
  Extras allowed = {};

  // Filled on the way.
  std::optional<EngineSide> without_permute = {};  // the local side where permuting is no choice
  const EngineSide* judged = &local;               // the local side that rules and checks look at
  AgentMetadata halves = {};                       // the remote's virtual halves, where it converts
  const AgentMetadata* seen = &remote;             // the remote that today's checks look at
  std::vector<bool> holds = {};                    // by reason, of the table that is asked
  Worker scratch = {};                             // today's checks run on a worker that knows nothing else
  Verdict verdict = {};

  void enter(const std::string& step) const {
    if (watch) watch(step);
  }
};
using Failed = std::optional<Verdict>;
using NegotiationMachine = Machine<NegotiationContext>;

Failed consistent(NegotiationContext& c) {
  const Expected<std::vector<region::Region>> regions = regions_of(c.remote, "metadata");
  if (regions) return {};
  const Error& error = regions.error();
  return rejected(Reason::malformed, "", fmt::format("{} {}: {}", error.field, error.value, error.problem));
}

Failed tag_present(NegotiationContext& c) {
  const std::string local = region::page_format_of(c.local.engine);
  if (!tag_of(c.remote).empty() || local == region::kStandard || c.local.engine.model.latent) return {};
  return rejected(Reason::tag_missing, local, "none");
}

enum class Tags : std::size_t { equal, standard_to_cpu, differ };
Tags compared(const NegotiationContext& c) {
  const std::string local = region::page_format_of(c.local.engine);
  const std::string remote = tag_of(c.remote);
  if (remote == local || remote.empty()) return Tags::equal;
  // The existing repack of standard pages for CPU_ATTN (#38935): the same blocks, rewritten by the backend's
  // own writer.
  const bool cpu = c.local.engine.backend == Backend::cpu_attn && local == region::kCpuVec;
  return remote == region::kStandard && cpu ? Tags::standard_to_cpu : Tags::differ;
}

void never_permute(NegotiationContext& c) {
  if (!c.local.engine.enable_permute_local_kv) return;
  c.judged = &c.without_permute.emplace(c.local);
  c.without_permute->engine.enable_permute_local_kv = false;
}

// The permute branch as proposed: it never touches a cache that is not LBNHC.
void permute_only_lbnhc(NegotiationContext& c) {
  const bool standard = region::page_format_of(c.local.engine) == region::kStandard;
  if (c.local.layout != Layout::lbnhc || !standard) never_permute(c);
}

Failed repacks_elements(NegotiationContext& c) {
  const std::uint64_t bytes = region::element_bytes_of(c.local.engine);
  if (bytes != 1) return {};
  return rejected(Reason::dtype_out_of_scope, fmt::format("{} bytes an element", bytes), "");
}

void ask(Table table, NegotiationContext& c) {
  c.holds.assign(static_cast<std::size_t>(kLastMatchReason) + 1, false);
  const Facts facts = facts_of(*c.judged, c.remote, c.known);
  const bool conversion = table == Table::conversion;
  const bool rocm = c.known.engine && c.known.engine->platform == region::Platform::rocm;
  c.verdict.extras = conversion ? needed(facts, c.allowed, rocm) : Extras{};
  visit_rules(table, with_extras(facts, c.verdict.extras),
              [&](Reason reason, bool holds) { c.holds[static_cast<std::size_t>(reason)] = holds; });
}

// One check a rule, in the order in which the table visits them.
void add_rules(NegotiationMachine& machine, Table table, const std::string& prefix) {
  machine.effect(prefix + "facts", {}, [table](NegotiationContext& c) { ask(table, c); });
  visit_rules(table, Facts{}, [&](Reason reason, bool) {
    machine.check(prefix + std::string(to_string(reason)), {}, [table, reason](NegotiationContext& c) {
      if (c.holds[static_cast<std::size_t>(reason)]) return Failed{};
      return Failed(told_verdict(table, reason, *c.judged, c.remote, c.known));
    });
  });
}

void split_in_halves(NegotiationContext& c) {
  c.halves = virtual_metadata(c.remote, c.local.layout);
  c.seen = &c.halves;
}

// No flag and no entry of the scratch worker outlives the verdict.
void add_todays_checks(NegotiationMachine& machine, region::Behaviour behaviour, const std::string& prefix) {
  machine.within<AgentContext>(
      prefix + "today's checks", agent_machine(behaviour, Meets::first), prefix, true,
      [](NegotiationContext& c, const Machine<AgentContext>& agents, const std::string& steps) -> Failed {
        AgentContext agent{
            .local = *c.judged, .worker = c.scratch, .remote = *c.seen, .tp_size = c.known.tp_size};
        if (c.watch) agent.watch = [&c, steps](const std::string& step) { c.watch(steps + step); };
        std::optional<Rejection> failed = agents.run(agent);
        return failed ? Failed(rejected(*std::move(failed))) : Failed{};
      });
}

void add_acceptance(NegotiationMachine& machine, Outcome outcome) {
  machine.effect(fmt::format("accept {}", to_string(outcome)), {}, [outcome](NegotiationContext& c) {
    c.verdict.outcome = outcome;
    c.verdict.permutes = c.scratch.permute;
    c.verdict.seen = *c.seen;
  });
}

void warn(NegotiationContext& c) {
  c.verdict.warnings = reader_traps(c.local);
}

Failed trapped(NegotiationContext& c) {
  warn(c);
  if (c.verdict.warnings.empty()) return {};
  Verdict verdict = rejected(Reason::reader_trap, c.verdict.warnings.front(), "");
  verdict.warnings = std::move(c.verdict.warnings);
  return verdict;
}

NegotiationMachine made(region::Behaviour behaviour, const Policy& policy) {
  constexpr const char* readers = "reader traps";
  NegotiationMachine machine;
  machine.check("metadata", {}, consistent)
      .check("tag present", {}, tag_present)
      .choice("tags compared",
              {{kTagsEqual, "match"}, {kTagsRepack, "repack"}, {kTagsDiffer, "scope: facts"}},
              [](const NegotiationContext& c) { return static_cast<std::size_t>(compared(c)); });

  machine.effect("match", {}, permute_only_lbnhc);
  add_todays_checks(machine, behaviour, "match: ");
  // Behind today's checks: where those reject as well, theirs is the nearer reason.
  if (policy.match_rules) add_rules(machine, Table::match, "match: ");
  add_acceptance(machine, Outcome::match);
  machine.then(readers);

  machine.effect("repack", {}, never_permute);  // it would move rows of runs that are no rows yet
  machine.check("repack: elements", {}, repacks_elements);
  add_rules(machine, Table::match, "repack: ");
  add_todays_checks(machine, behaviour, "repack: ");
  add_acceptance(machine, Outcome::repack);
  machine.then(readers);

  add_rules(machine, Table::conversion, kScopePrefix);
  machine.effect("virtual halves", {}, split_in_halves);
  add_todays_checks(machine, behaviour, "convert: ");
  add_acceptance(machine, Outcome::convert);

  if (policy.strict_reader) {
    machine.check(readers, {}, trapped);
  } else {
    machine.effect(readers, {}, warn);
  }
  return std::move(machine.finished());
}

// One machine for each of the eight kinds, made once.
std::size_t kind_of(region::Behaviour behaviour, const Policy& policy) {
  return (behaviour == region::Behaviour::s0 ? 0u : 4u) + (policy.match_rules ? 2u : 0u) +
         (policy.strict_reader ? 1u : 0u);
}

template <class M, class Make>
std::vector<M> all_kinds(const Make& make) {
  std::vector<M> machines;
  for (const auto behaviour : {region::Behaviour::s0, region::Behaviour::s2}) {
    for (const bool rules : {false, true}) {
      for (const bool strict : {false, true}) {
        machines.push_back(make(behaviour, Policy{.strict_reader = strict, .match_rules = rules}));
      }
    }
  }
  return machines;
}

const NegotiationMachine& negotiation(region::Behaviour behaviour, const Policy& policy) {
  static const std::vector<NegotiationMachine> machines = all_kinds<NegotiationMachine>(made);
  return machines[kind_of(behaviour, policy)];
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
  NegotiationContext context{.local = local, .remote = remote, .known = known, .allowed = policy.allowed};
  Failed failed = negotiation(local.engine.behaviour, policy).run(context);
  if (failed) return *std::move(failed);
  if (context.verdict.extras.fp8_rewrite) context.verdict.warnings.emplace_back(kScaleWarning);
  return std::move(context.verdict);
}

Verdict meet_proposed(const EngineSide& local, const EngineSide& remote, const Policy& policy) {
  if (local.engine.enforce_handshake_compat && local.hash != remote.hash) {
    Verdict verdict = rejected(Reason::todays_check, local.hash, remote.hash);
    verdict.rule = "hash: RuntimeError: NIXL compatibility hash mismatch.";
    verdict.change = "make the factors of the hash equal";
    return verdict;
  }
  if (std::optional<Rejection> failed = parallel_config_today(local, remote.metadata)) {
    return rejected(*std::move(failed));
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

namespace {

struct ProposalContext {
  using Failure = Verdict;

  const EngineSide& local;
  std::span<const Reply> replies;
  const std::string& engine_id;
  std::uint64_t tp_size;
  ProposedAttempt& attempt;
  const ProposedWatch& watch;
  Extras allowed = {};

  std::size_t at = 0;  // the reply that is looked at
  HandshakePayload payload = {};
  AgentMetadata metadata = {};
  Acceptance acceptance = {};

  void enter(const std::string& step) const {
    attempt.trace.push_back(step);
    if (watch) watch(step, attempt.accepted);
  }
  bool hashes_match() const { return payload.compatibility_hash == local.hash; }
};

Verdict stopped(std::string rule, std::string local, std::string remote) {
  Verdict verdict = rejected(Reason::todays_check, std::move(local), std::move(remote));
  verdict.rule = std::move(rule);
  return verdict;
}

Failed decoded_payload(ProposalContext& c) {
  Expected<HandshakePayload> payload = decode_payload(c.replies[c.at].payload, "reply");
  if (!payload) return stopped("Failed to decode NixlHandshakePayload.", "", to_string(payload.error()));
  c.payload = *std::move(payload);
  return {};
}

Failed hashes_compared(ProposalContext& c) {
  if (c.hashes_match() || !c.local.engine.enforce_handshake_compat) return {};
  return stopped("NIXL compatibility hash mismatch.", c.local.hash, c.payload.compatibility_hash);
}

Failed decoded_metadata(ProposalContext& c) {
  Expected<AgentMetadata> metadata =
      decode_metadata(c.payload.agent_metadata_bytes, c.local.engine.behaviour, "reply");
  if (!metadata) return stopped("Failed to decode NixlAgentMetadata.", "", to_string(metadata.error()));
  c.metadata = *std::move(metadata);
  return {};
}

Failed parallel_config(ProposalContext& c) {
  std::optional<Rejection> failed = parallel_config_today(c.local, c.metadata);
  return failed ? Failed(rejected(*std::move(failed))) : Failed{};
}

Failed engine_ids_compared(ProposalContext& c) {
  if (c.metadata.engine_id == c.engine_id) return {};
  return stopped("Remote NIXL agent engine ID mismatch.", c.engine_id, c.metadata.engine_id);
}

Failed negotiated(ProposalContext& c, const NegotiationMachine& machine, const std::string&) {
  const RemoteKnowledge known{.tp_size = c.tp_size, .hash_matched = c.hashes_match(), .engine = {}};
  NegotiationContext context{.local = c.local,
                             .remote = c.metadata,
                             .known = known,
                             .watch = [&c](const std::string& step) { c.enter(step); },
                             .allowed = c.allowed};
  if (Failed failed = machine.run(context)) return failed;
  c.attempt.verdict = std::move(context.verdict);
  return {};
}

// The verdict of one rank, kept beside the engines that are accepted until all ranks have theirs.
void collect(ProposalContext& c) {
  c.acceptance.outcome = c.attempt.verdict.outcome;
  c.acceptance.permutes = c.attempt.verdict.permutes;
  c.acceptance.seen[c.replies[c.at].rank] = c.attempt.verdict.seen;
  ++c.at;
}

void record(ProposalContext& c) {
  c.attempt.accepted[c.engine_id] = std::move(c.acceptance);
}

Machine<ProposalContext> handshake_of(region::Behaviour behaviour, const Policy& policy) {
  Machine<ProposalContext> machine;
  machine.check("decode payload", {}, decoded_payload)
      .check("hash", {}, hashes_compared)
      .check("decode metadata", {}, decoded_metadata);
  if (behaviour != region::Behaviour::s0) machine.check("parallel config", {}, parallel_config);
  machine.check("engine id", {}, engine_ids_compared)
      .within<NegotiationContext>("negotiate", negotiation(behaviour, policy), "", false, negotiated)
      .effect("collect", {}, collect)
      .choice("further rank", {{"another rank", "decode payload"}, {"all answered", "record acceptance"}},
              [](const ProposalContext& c) -> std::size_t { return c.at < c.replies.size() ? 0 : 1; })
      .effect("record acceptance", {Mark::acceptance}, record);
  return std::move(machine.finished());
}

const Machine<ProposalContext>& proposal(region::Behaviour behaviour, const Policy& policy) {
  static const auto machines = all_kinds<Machine<ProposalContext>>(handshake_of);
  return machines[kind_of(behaviour, policy)];
}

}  // namespace

Outline outline_proposed(region::Behaviour behaviour, const Policy& policy) {
  return *proposal(behaviour, policy).outline();
}

ProposedAttempt handshake_proposed(const EngineSide& local, const Acceptances& before,
                                   std::span<const Reply> replies, const std::string& expected_engine_id,
                                   std::uint64_t remote_tp_size, const Policy& policy,
                                   const ProposedWatch& watch) {
  ProposedAttempt attempt{.accepted = before};
  if (replies.empty()) return attempt;
  ProposalContext context{.local = local,
                          .replies = replies,
                          .engine_id = expected_engine_id,
                          .tp_size = remote_tp_size,
                          .attempt = attempt,
                          .watch = watch,
                          .allowed = policy.allowed};
  Failed failed = proposal(local.engine.behaviour, policy).run(context);
  const bool accepted = !failed;
  if (failed) attempt.verdict = *std::move(failed);
  context.enter(accepted ? kReady : kRejected);
  return attempt;
}

std::string_view to_string(Outcome outcome) {
  constexpr std::array<std::string_view, 4> names = {"match", "convert", "repack", "rejected"};
  return names[static_cast<std::size_t>(outcome)];
}

std::string to_string(const Verdict& v) {
  if (v.outcome == Outcome::match) return "accepted: the page formats are equal";
  if (v.outcome == Outcome::convert) {
    std::string line = "accepted: standard pages are converted after the read";
    for (const std::string& extra : names(v.extras)) line += ", with " + extra;
    return line;
  }
  if (v.outcome == Outcome::repack)
    return "accepted: standard pages are repacked for CPU_ATTN after the read";
  std::string line = fmt::format("rejected ({}): ", to_string(v.reason));
  line += v.reason == Reason::todays_check ? v.rule : std::string(facts_of(v.reason).sentence);
  if (!v.local.empty()) line += ": local " + printable(v.local);
  if (!v.remote.empty())
    line += fmt::format("{} remote {}", v.local.empty() ? ":" : ",", printable(v.remote));
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
