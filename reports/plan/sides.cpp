#include "reports/plan/sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/plan/pages.hpp"

namespace pageproof::reports {
namespace {

using handshake::AgentMetadata;
using handshake::EngineSide;
using plan::Strategy;

std::unexpected<Error> refuse(std::string subject, std::string field, std::string value,
                              std::string problem) {
  return std::unexpected(Error{std::move(subject), std::move(field), std::move(value), std::move(problem)});
}

std::string name_of(const PlanParty& remote) {
  return remote.file.empty() ? "REMOTE" : remote.file;
}

region::TpPair tp_pair(const EngineSide& local, const EngineSide& remote) {
  return {.local_rank = local.engine.tp_rank,
          .local_size = local.engine.tp_size,
          .remote_size = remote.engine.tp_size,
          .kv_heads = local.engine.model.latent ? 1 : local.engine.model.kv_heads,
          .latent = local.engine.model.latent};
}

// Files of one remote engine, which differ in rank alone.
Expected<void> of_one_engine(std::span<const PlanParty> remotes) {
  const PlanParty& first = remotes.front();
  for (std::size_t i = 1; i < remotes.size(); ++i) {
    const PlanParty& other = remotes[i];
    const region::Engine &a = first.side.engine, &b = other.side.engine;
    const AgentMetadata &m = first.side.metadata, &n = other.side.metadata;
    const auto same = [&](const char* field, const auto& one, const auto& another) -> Expected<void> {
      if (one == another) return {};
      return refuse(name_of(other), field, fmt::format("{}", another),
                    fmt::format("{} has {}: the files of the ranks are of one engine", name_of(first), one));
    };
    if (const auto ok = same("engine_id", a.engine_id, b.engine_id); !ok) return ok;
    if (const auto ok = same("page format", tag_of(first), tag_of(other)); !ok) return ok;
    if (const auto ok = same("tp_size", a.tp_size, b.tp_size); !ok) return ok;
    if (const auto ok = same("block_size", m.block_size, n.block_size); !ok) return ok;
    if (const auto ok = same("kv_cache_layout", m.kv_cache_layout, n.kv_cache_layout); !ok) return ok;
    if (const auto ok = same("physical_blocks_per_logical_kv_block", m.physical_blocks_per_logical_kv_block,
                             n.physical_blocks_per_logical_kv_block);
        !ok)
      return ok;
    if (first.described && other.described) {
      if (const auto ok = same("dtype", to_string(a.dtype) + " " + a.cache_dtype,
                               to_string(b.dtype) + " " + b.cache_dtype);
          !ok)
        return ok;
      if (a.model != b.model)
        return refuse(
            name_of(other), "model", b.model.name,
            fmt::format("not the model of {}, with its sizes: the files of the ranks are of one engine",
                        name_of(first)));
    }
  }
  return {};
}

// A description tells its rank. Of a capture it is known that no two ranks sent the same.
Expected<void> of_these_ranks(std::span<const PlanParty> remotes, std::span<const std::uint64_t> sources) {
  for (std::size_t i = 0; i < remotes.size(); ++i) {
    const std::uint64_t rank = remotes[i].side.engine.tp_rank;
    const auto wrong = [&](std::string problem) {
      return refuse(name_of(remotes[i]), "tp_rank", std::to_string(rank), std::move(problem));
    };
    if (!remotes[i].described) {
      for (std::size_t k = 0; k < i; ++k) {
        if (remotes[k].described || remotes[k].side.metadata != remotes[i].side.metadata) continue;
        return refuse(name_of(remotes[i]), "ranks", std::to_string(remotes.size()),
                      "the same metadata twice: one file for all ranks, or one of each");
      }
      continue;
    }
    if (remotes.size() == sources.size() && rank != sources[i])
      return wrong(fmt::format("rank {} is read here", sources[i]));
    if (remotes.size() != sources.size() && std::ranges::find(sources, rank) == sources.end())
      return wrong(fmt::format("ranks {} to {} are read", sources.front(), sources.back()));
  }
  return {};
}

// A remote that tells no groups has those of the local regions, where it has as many. Source: spec §2.1 A7.
void take_groups_of(const plan::Side& local, plan::Side& remote) {
  if (local.regions.size() != remote.regions.size()) return;
  for (std::size_t i = 0; i < local.regions.size(); ++i) remote.regions[i].group = local.regions[i].group;
}

// Every listed block is in the regions that serve its list, also where it is dropped as a prefix.
Expected<void> listed_blocks_exist(const plan::Side& side, const plan::BlockGroups& lists,
                                   std::uint64_t per_block, const std::string& subject) {
  const bool one_group = plan::of_one_group(side.regions);
  for (std::size_t g = 0; g < lists.size(); ++g) {
    if (lists[g].empty()) continue;
    const std::uint64_t highest = std::ranges::max(lists[g]);
    for (std::size_t i = 0; i < side.regions.size(); ++i) {
      const plan::Region& region = side.regions[i];
      if (!plan::serves(region, one_group, g) || highest < region.num_blocks / per_block) continue;
      return refuse(subject, fmt::format("blocks of group {}", g), std::to_string(highest),
                    fmt::format("region {} has {} of them", i, region.num_blocks / per_block));
    }
  }
  return {};
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
  if (const auto ok = of_one_engine(remotes); !ok) return std::unexpected(ok.error());
  if (const auto ok = of_these_ranks(remotes, mapping.sources); !ok) return std::unexpected(ok.error());
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
    if (!remote.metadata.region_group_ids) take_groups_of(planned.request.local, source.side);
    if (const auto ok = plan::checked(source.side.regions, "REMOTE"); !ok) return std::unexpected(ok.error());
    source.memory = planner_memory(remote.registration, remote.engine.device_id);
    planned.request.sources.push_back(std::move(source));
  }
  if (mapping.sources.size() > 1 && remotes.size() == 1)
    planned.notes.push_back("one REMOTE for all source ranks: each has these addresses");

  const plan::BlockUnits units{
      .local_per_logical = decoder.engine.block_size / decoder.engine.kernel_block_size,
      .remote_per_logical = std::max<std::uint64_t>(1, first.metadata.physical_blocks_per_logical_kv_block),
      .ratio = ratio};
  if (const auto ok =
          listed_blocks_exist(planned.request.local, local_blocks, units.local_per_logical, "local");
      !ok)
    return std::unexpected(ok.error());
  for (const plan::Source& source : planned.request.sources) {
    if (const auto ok = listed_blocks_exist(source.side, remote_blocks, units.remote_per_logical, "remote");
        !ok)
      return std::unexpected(ok.error());
  }
  auto blocks = plan::pair_blocks(local_blocks, remote_blocks, units);
  if (!blocks) return std::unexpected(blocks.error());
  planned.request.blocks = *std::move(blocks);
  return planned;
}

}  // namespace pageproof::reports
