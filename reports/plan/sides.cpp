#include "reports/plan/sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/handshake/facts.hpp"
#include "model/handshake/negotiate.hpp"
#include "model/handshake/today.hpp"

namespace pageproof::reports {
namespace {

using handshake::EngineSide;
using plan::Pages;
using plan::Strategy;

std::unexpected<Error> refuse(std::string subject, std::string field, std::string value,
                              std::string problem) {
  return std::unexpected(Error{std::move(subject), std::move(field), std::move(value), std::move(problem)});
}

std::string tag_of(const PlanParty& party) {
  return party.described ? region::page_format_of(party.side.engine) : handshake::tag_of(party.side.metadata);
}

region::TpPair tp_pair(const EngineSide& local, const EngineSide& remote) {
  return {.local_rank = local.engine.tp_rank,
          .local_size = local.engine.tp_size,
          .remote_size = remote.engine.tp_size,
          .kv_heads = local.engine.model.latent ? 1 : local.engine.model.kv_heads,
          .latent = local.engine.model.latent};
}

// Two planes of half a page for each remote region.
bool are_planes_of(const EngineSide& local, const EngineSide& remote) {
  const auto &planes = local.registration.regions, &pages = remote.registration.regions;
  if (planes.size() != 2 * pages.size()) return false;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    if (2 * planes[i].block_len != pages[i / 2].block_len) return false;
  }
  return true;
}

// A region's block is one page, and that is K's slot and then V's.
Expected<bool> is_page_of_two_slots(const EngineSide& side, const std::string& tag) {
  if (!region::is_block_contiguous(side.layout)) return false;
  return region::has_two_slots(tag, side.engine.engine_id);
}

Expected<void> judged(const PlanParty& local, const PlanParty& remote, Pages pages) {
  if (pages == Pages::for_planes) {
    if (!local.described || !remote.described) return {};
    EngineSide decoder = local.side;
    decoder.engine.convert_page_format = true;
    decoder.engine.enforce_handshake_compat = false;
    const handshake::Verdict verdict = handshake::meet_proposed(decoder, remote.side);
    if (verdict.accepted()) return {};
    return refuse("pair", "RFC", local.side.engine.engine_id + " reads " + remote.side.engine.engine_id,
                  handshake::to_string(verdict));
  }
  EngineSide decoder = local.side;
  decoder.engine.enforce_handshake_compat = false;  // a plan is about bytes
  const handshake::Attempt attempt = handshake::meet_today(decoder, remote.side);
  if (attempt.accepted()) return {};
  return refuse("pair", "today", local.side.engine.engine_id + " reads " + remote.side.engine.engine_id,
                handshake::to_string(*attempt.rejection));
}

struct PagesFound {
  Pages pages = Pages::same;
  std::string words;
  std::vector<std::string> notes;
};

Expected<PagesFound> pages_of(const PlanParty& local, const PlanParty& remote,
                              std::optional<Strategy> asked) {
  const std::string here = tag_of(local), there = tag_of(remote);
  const bool planes = are_planes_of(local.side, remote.side);
  if (here.empty() || there.empty()) {
    PagesFound found;
    found.notes.push_back("page formats are not told: taken as what the regions fit");
    if (planes) {
      found.pages = Pages::for_planes;
    } else if (asked == Strategy::slots) {
      found.pages = Pages::two_slots;
    }
    found.words = planes ? "pages for two planes: converted after the read" : "taken as one format";
    return found;
  }
  if (here == there) {
    const Expected<bool> slots = is_page_of_two_slots(local.side, here);
    if (!slots) return std::unexpected(slots.error());
    return PagesFound{*slots ? Pages::two_slots : Pages::same,
                      here + " on both sides" + (*slots ? ", K and V in two slots" : ""),
                      {}};
  }
  if (there == region::kStandard && here == region::kShuffled && planes) {
    return PagesFound{Pages::for_planes, there + " -> " + here + ": converted after the read", {}};
  }
  if (there == region::kStandard && here == region::kShuffled) {
    return refuse(
        "pair", "page format", fmt::format("{} -> {} in two slots", there, here),
        "pages are converted for a decoder with K and V planes alone: the RFC accepts no other, and the "
        "kernels that read converted pages need dense planes (VLLM_KV_CACHE_LAYOUT=LHBNC)");
  }
  return refuse("pair", "page format", fmt::format("{} -> {}", there, here),
                "no read brings these pages there: only standard pages, whole, for shuffled pages in K and V "
                "planes (VLLM_KV_CACHE_LAYOUT=LHBNC)");
}

// Heads of a rank.
std::uint64_t heads_of(std::uint64_t kv_heads, std::uint64_t ranks) {
  return std::max<std::uint64_t>(1, kv_heads / ranks);
}

}  // namespace

plan::Side planner_side(std::span<const region::Region> regions, std::uint64_t device, bool replicated) {
  plan::Side side{{}, device};
  for (const region::Region& region : regions) {
    side.regions.push_back(
        {.base = region.base,
         .block_len = region.block_len,
         .block_stride = region.block_stride,
         .num_blocks = region.num_blocks,
         .group = region.group,
         .memory = region.memory == region::MemoryType::dram ? plan::Memory::dram : plan::Memory::vram,
         .replicated = replicated || region.latent,
         .name = region.name});
  }
  return side;
}

std::vector<plan::MemoryRange> planner_memory(const region::Registration& registration,
                                              std::uint64_t device) {
  std::vector<plan::MemoryRange> ranges;
  for (const region::MemoryRange& range : registration.memory)
    ranges.push_back({range.base, range.bytes, device});
  return ranges.empty() ? plan::memory_of(planner_side(registration.regions, device, false)) : ranges;
}

Expected<PlannedPair> plan_pair(const PlanParty& local, std::span<const PlanParty> remotes,
                                const plan::BlockGroups& local_blocks, const plan::BlockGroups& remote_blocks,
                                std::optional<Strategy> asked) {
  const EngineSide& decoder = local.side;
  const EngineSide& first = remotes.front().side;
  const region::TpPair pair = tp_pair(decoder, first);
  if (!region::tp_ratio(pair.local_size, pair.remote_size)) {
    return refuse("pair", "tp_size", fmt::format("{} and {}", pair.local_size, pair.remote_size),
                  "neither divides the other");
  }
  if (pair.local_rank >= pair.local_size) {
    return refuse("pair", "tp_rank", std::to_string(pair.local_rank),
                  fmt::format("not below {}", pair.local_size));
  }
  const region::TpMapping mapping = region::tp_mapping(pair);
  if (remotes.size() != 1 && remotes.size() != mapping.sources.size()) {
    return refuse(
        "REMOTE", "files", std::to_string(remotes.size()),
        fmt::format("one for all, or one for each of the {} ranks that are read", mapping.sources.size()));
  }
  const std::uint64_t there_tokens = first.metadata.block_size;
  if (there_tokens == 0 || decoder.engine.kernel_block_size % there_tokens != 0) {
    return refuse("pair", "block_size", std::to_string(there_tokens),
                  fmt::format("does not divide {}", decoder.engine.kernel_block_size));
  }

  PlannedPair planned;
  const auto pages = pages_of(local, remotes.front(), asked);
  if (!pages) return std::unexpected(pages.error());
  planned.request.pages = pages->pages;
  planned.pages = pages->words;
  planned.notes = pages->notes;
  for (const PlanParty& remote : remotes) {
    if (const auto ok = judged(local, remote, pages->pages); !ok) return std::unexpected(ok.error());
  }

  const bool replicated = region::replicates_kv_cache(pair);
  const std::uint64_t ratio = decoder.engine.kernel_block_size / there_tokens;
  planned.request.local = planner_side(decoder.registration.regions, decoder.engine.device_id, replicated);
  if (const auto ok = plan::checked(planned.request.local.regions, "LOCAL"); !ok)
    return std::unexpected(ok.error());
  planned.request.memory = planner_memory(decoder.registration, decoder.engine.device_id);
  for (std::size_t i = 0; i < mapping.sources.size(); ++i) {
    const EngineSide& remote = remotes[remotes.size() == 1 ? 0 : i].side;
    plan::Slice slice{.ratio = ratio,
                      .sources = replicated ? 1 : mapping.sources.size(),
                      .slot = replicated ? 0 : i,
                      .shares = 1,
                      .rank_offset_factor = replicated ? 0 : mapping.rank_offset_factor};
    if (pair.local_size > pair.remote_size && !replicated) {
      slice.shares = heads_of(pair.kv_heads, pair.remote_size) / heads_of(pair.kv_heads, pair.local_size);
    }
    plan::Source source{mapping.sources[i],
                        planner_side(remote.registration.regions, remote.engine.device_id, replicated),
                        slice,
                        {}};
    if (const auto ok = plan::checked(source.side.regions, "REMOTE"); !ok) return std::unexpected(ok.error());
    source.memory = planner_memory(remote.registration, remote.engine.device_id);
    planned.request.sources.push_back(std::move(source));
  }
  if (mapping.sources.size() > 1 && remotes.size() == 1)
    planned.notes.push_back("one REMOTE for all source ranks: each has these addresses");

  auto blocks = plan::pair_blocks(
      local_blocks, remote_blocks,
      {.local_per_logical = decoder.engine.block_size / decoder.engine.kernel_block_size,
       .remote_per_logical = std::max<std::uint64_t>(1, first.metadata.physical_blocks_per_logical_kv_block),
       .ratio = ratio});
  if (!blocks) return std::unexpected(blocks.error());
  planned.request.blocks = *std::move(blocks);
  return planned;
}

}  // namespace pageproof::reports
