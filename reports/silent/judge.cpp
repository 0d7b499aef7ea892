#include "reports/silent/judge.hpp"

#include <array>
#include <map>

#include "model/handshake/today.hpp"

namespace pageproof::silent {
namespace {

using handshake::AgentMetadata;
using handshake::Copy;
using handshake::EngineSide;
using region::Engine;

std::uint64_t key_of(std::uint32_t local, std::uint32_t remote, std::uint64_t flags) {
  return std::uint64_t{local} << 40 | std::uint64_t{remote} << 16 | flags;
}

region::TpPair ranks_of(const Engine& local, const Engine& remote, std::uint64_t rank) {
  return {.local_rank = rank,
          .local_size = local.tp_size,
          .remote_size = remote.tp_size,
          .kv_heads = local.model.latent ? 1 : local.model.kv_heads,
          .latent = local.model.latent};
}

region::BlockGroups kernel_ids(const region::BlockGroups& logical, const Engine& engine) {
  region::BlockGroups ids;
  for (const auto& group : logical) {
    ids.push_back(region::kernel_block_ids(group, region::blocks_per_logical_block(engine)));
  }
  return ids;
}

void keep_first_block(region::BlockGroups& groups) {
  for (auto& group : groups) group.resize(1);
}

// The fault of public report P20: the id of remote block b in region i is i · (local blocks) + b. Blocks come
// region by region; models of several groups are left as they are.
void swap_num_blocks(std::vector<Copy>& copies, const AgentMetadata& remote, std::uint64_t local_blocks,
                     const std::vector<std::uint64_t>& ids) {
  const std::size_t regions = remote.kv_caches_base_addr.size();
  const std::size_t of_source = regions * ids.size();
  const std::uint64_t places = regions * remote.num_blocks;
  for (std::size_t i = 0; of_source != 0 && i < copies.size(); ++i) {
    const std::size_t region = i % of_source / ids.size();
    const std::uint64_t block = ids[i % ids.size()];
    const std::uint64_t id = (region * local_blocks + block) % places;
    const auto start = [&](std::uint64_t r, std::uint64_t b) {
      return remote.kv_caches_base_addr[r] + b * (*remote.block_strides)[r];
    };
    copies[i].remote += start(id / remote.num_blocks, id % remote.num_blocks) - start(region, block);
  }
}

// FP8 pages cannot be packed.
bool packs_bytes(const Steps& steps, const Engine& engine) {
  return steps.repacks && region::element_bytes_of(engine) == 1;
}

}  // namespace

std::string_view to_string(Fate fate) {
  constexpr std::array<std::string_view, kFates> names = {"rejected", "right", "wrong", "raises"};
  return names[static_cast<std::size_t>(fate)];
}

bool same_encoding(const Engine& a, const Engine& b) {
  const auto type = [](const Engine& engine) {
    return engine.cache_dtype == "auto" ? to_string(engine.dtype) : engine.cache_dtype;
  };
  return type(a) == type(b);
}

BytesOf judge_bytes(const Candidate& local, const Candidate& remote, const AgentMetadata& seen,
                    const Steps& flags, Fault fault) {
  const Request request = request_of(local.engine(), remote.engine());
  BytesOf out{.fate = Fate::right, .steps = flags};
  const auto raises = [&](std::string text) {
    out.fate = Fate::raises;
    out.raised = std::move(text);
    return out;
  };
  if (packs_bytes(flags, local.engine())) return raises("NotImplementedError: FP8 pages cannot be packed");
  EngineSide side = local.side;
  for (std::uint64_t rank = 0; rank < local.engine().tp_size; ++rank) {
    side.engine.tp_rank = rank;
    const region::TpPair ranks = ranks_of(local.engine(), remote.engine(), rank);
    std::map<std::uint64_t, AgentMetadata> sources;
    for (const std::uint64_t source : region::tp_mapping(ranks).sources) sources.emplace(source, seen);
    Expected<handshake::PlannedRead> read = handshake::planned_read(
        side, sources, remote.engine().tp_size, request.local, request.remote, flags.permutes, flags.repacks);
    if (!read) return raises(to_string(read.error()));
    if (read->refused) return raises(to_string(*read->refused));
    out.steps.permutes = read->after.permutes && fault != Fault::ignores_permute;
    out.steps.regroups = read->after.regroups;

    region::BlockGroups local_ids = kernel_ids(request.local, local.engine());
    region::BlockGroups remote_ids = kernel_ids(request.remote, remote.engine());
    if (fault == Fault::swaps_num_blocks && remote_ids.size() == 1) {
      swap_num_blocks(read->copies, seen, region::kernel_blocks_of(local.engine()), remote_ids.front());
    }
    if (fault == Fault::first_block_only) {
      keep_first_block(local_ids);
    }
    const Expected<std::optional<Wrong>> wrong =
        first_wrong({.local = *local.cache,
                     .remote = *remote.cache,
                     .ranks = ranks,
                     .local_blocks = local_ids,
                     .remote_blocks = remote_ids,
                     .copies = read->copies,
                     .steps = out.steps,
                     .same_encoding = same_encoding(local.engine(), remote.engine())});
    if (!wrong) return raises(to_string(wrong.error()));
    if (*wrong) {
      out.fate = Fate::wrong;
      out.wrong = **wrong;
      return out;
    }
  }
  return out;
}

AgentMetadata Judge::seen_by(const Candidate& local, const Candidate& remote, const Steps& steps) {
  return steps.converts ? handshake::virtual_metadata(remote.side.metadata, local.side.layout)
                        : remote.side.metadata;
}

Fate Judge::bytes(const Candidate& local, const Candidate& remote, const Steps& steps) {
  const bool encoding = same_encoding(local.engine(), remote.engine());
  if (fault_ == Fault::trusts_tags) {
    const bool equal = region::page_format_of(local.engine()) == region::page_format_of(remote.engine());
    return equal || steps.repacks || steps.converts ? Fate::right : Fate::wrong;
  }
  const std::uint64_t flags =
      (steps.permutes ? 1 : 0) | (steps.repacks ? 2 : 0) | (steps.converts ? 4 : 0) | (encoding ? 8 : 0);
  const auto [at, fresh] = bytes_.try_emplace(key_of(local.bytes, remote.bytes, flags), Fate::right);
  if (fresh) at->second = judge_bytes(local, remote, seen_by(local, remote, steps), steps, fault_).fate;
  return at->second;
}

Judge::Ruling Judge::today(const Candidate& local, const Candidate& remote, Flags flags) {
  if (!flags.unchecked && local.hash != remote.hash)
    return {.fate = Fate::rejected, .hash = true, .verdict = {}};
  // Check 11 asks the CPU backend for the other's name; nothing else does.
  const bool names_differ = local.engine().backend == region::Backend::cpu_attn &&
                            remote.engine().backend != region::Backend::cpu_attn;
  const std::uint64_t key = key_of(local.checks, remote.checks,
                                   (flags.permute ? 1 : 0) | (names_differ ? 2 : 0) |
                                       (local.engine().backend == region::Backend::cpu_attn ? 4 : 0));
  const auto [at, fresh] = checks_.try_emplace(key);
  if (fresh) {
    handshake::Worker worker;
    const EngineSide& side = flags.permute ? local.permuting : local.side;
    at->second.accepted =
        !handshake::add_remote_agent(side, worker, remote.side.metadata, 0, remote.engine().tp_size);
    at->second.steps.permutes = worker.permute;
    at->second.steps.repacks = worker.repack;
  }
  if (!at->second.accepted) return {.fate = Fate::rejected, .hash = false, .verdict = {}};
  return {.fate = bytes(local, remote, at->second.steps), .hash = false, .verdict = at->second};
}

const Accepted& Judge::negotiated(const Candidate& local, const Candidate& remote, bool permute,
                                  bool tagged) {
  const std::uint64_t flags = (permute ? 1 : 0) | (tagged ? 2 : 0);
  const auto [at, fresh] = rules_.try_emplace(key_of(local.rules, remote.rules, flags));
  Accepted& out = at->second;
  if (!fresh) return out;
  AgentMetadata metadata = remote.side.metadata;
  if (!tagged) metadata.region_page_formats.reset();
  // Both descriptions are at hand, so that nothing hangs on what a hash would have told.
  const handshake::Verdict verdict = handshake::negotiate(
      permute ? local.permuting : local.side, metadata,
      {.tp_size = remote.engine().tp_size, .hash_matched = false, .engine = remote.engine()});
  out.accepted = verdict.accepted();
  out.outcome = verdict.outcome;
  out.reason = verdict.reason;
  out.check = verdict.check ? verdict.check->check : 0;
  out.steps.permutes = verdict.permutes;
  out.steps.repacks = verdict.outcome == handshake::Outcome::repack;
  out.steps.converts = verdict.outcome == handshake::Outcome::convert;
  return out;
}

Judge::Ruling Judge::proposed(const Candidate& local, const Candidate& remote, Flags flags, bool open) {
  const bool hashes_differ = open ? local.open_hash != remote.open_hash : local.hash != remote.hash;
  if (!flags.unchecked && hashes_differ) return {.fate = Fate::rejected, .hash = true, .verdict = {}};
  const Accepted& verdict = negotiated(local, remote, flags.permute, true);
  if (!verdict.accepted) return {.fate = Fate::rejected, .hash = false, .verdict = verdict};
  return {.fate = bytes(local, remote, verdict.steps), .hash = false, .verdict = verdict};
}

Judge::Ruling Judge::untagged(const Candidate& local, const Candidate& remote, bool permute) {
  const Accepted& verdict = negotiated(local, remote, permute, false);
  if (!verdict.accepted) return {.fate = Fate::rejected, .hash = false, .verdict = verdict};
  return {.fate = bytes(local, remote, verdict.steps), .hash = false, .verdict = verdict};
}

}  // namespace pageproof::silent
