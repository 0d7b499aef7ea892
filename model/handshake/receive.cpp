#include "model/handshake/receive.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/region/tp_mapping.hpp"

namespace pageproof::handshake {
namespace {

using region::BlockGroups;
using region::Region;

constexpr std::uint64_t kMostCopies = std::uint64_t{1} << 22;

std::unexpected<Error> refuse(const char* field, std::string value, std::string problem) {
  return std::unexpected(Error{"read", field, std::move(value), std::move(problem)});
}

// Kernel block ids of every group; refused beyond the pool.
Expected<BlockGroups> kernel_groups(const BlockGroups& logical, std::uint64_t per_logical,
                                    std::uint64_t num_blocks, const char* field) {
  BlockGroups groups;
  for (const auto& group : logical) {
    for (const std::uint64_t block : group) {
      if (per_logical == 0 || block >= num_blocks / per_logical) {
        return refuse(field, std::to_string(block),
                      fmt::format("beyond the pool of {} kernel blocks", num_blocks));
      }
    }
    groups.push_back(region::kernel_block_ids(group, per_logical));
  }
  return groups;
}

std::vector<std::int64_t> groups_of(std::span<const Region> regions) {
  std::vector<std::int64_t> ids;
  for (const Region& region : regions) ids.push_back(region.group);
  return ids;
}

Expected<void> append_copies(std::span<const Region> local, std::span<const Region> remote,
                             std::span<const std::uint64_t> local_ids,
                             std::span<const std::uint64_t> remote_ids, std::uint64_t ratio,
                             std::uint64_t slot, std::uint64_t source, bool whole_model_replicated,
                             region::RemoteSlice slice, std::vector<Copy>& out) {
  if (local_ids.size() != remote_ids.size()) {
    return refuse("descriptor ids", std::to_string(local_ids.size()),
                  fmt::format("paired with {}", remote_ids.size()));
  }
  if (local_ids.size() > kMostCopies || out.size() > kMostCopies - local_ids.size()) {
    return refuse("descriptor ids", std::to_string(local_ids.size()),
                  fmt::format("more than {} copies", kMostCopies));
  }
  const region::IdSpace local_space = region::id_space_of(local, ratio);
  const region::IdSpace remote_space = region::id_space_of(remote);
  for (std::size_t i = 0; i < local_ids.size(); ++i) {
    const region::IdPlace to = region::place_of(local_ids[i], local_space);
    const region::IdPlace from = region::place_of(remote_ids[i], remote_space);
    slice.replicated = whole_model_replicated || local[from.region].latent;
    const region::Descriptor here = region::share_of(
        region::local_descriptor(local[to.region], to.block, to.sub_block, ratio, 0), slot, slice);
    const region::Descriptor there =
        region::remote_descriptor(local[from.region], remote[from.region], from.block, slice, 0);
    out.push_back({here.address, there.address, here.bytes, source});
  }
  return {};
}

}  // namespace

Expected<PlannedRead> planned_read(const EngineSide& local,
                                   const std::map<std::uint64_t, AgentMetadata>& sources,
                                   std::uint64_t remote_tp_size, const BlockGroups& local_blocks,
                                   const BlockGroups& remote_blocks, bool permute, bool repack) {
  const region::Engine& engine = local.engine;
  const region::TpPair pair{.local_rank = engine.tp_rank,
                            .local_size = engine.tp_size,
                            .remote_size = remote_tp_size,
                            .kv_heads = engine.model.latent ? 1 : engine.model.kv_heads,
                            .latent = engine.model.latent};
  if (!region::tp_ratio(pair.local_size, pair.remote_size)) {
    return refuse("tp_size", std::to_string(remote_tp_size),
                  fmt::format("does not divide {}", engine.tp_size));
  }
  if (local_blocks.size() != remote_blocks.size()) {
    return refuse("block groups", std::to_string(remote_blocks.size()),
                  fmt::format("paired with {}", local_blocks.size()));
  }
  const region::TpMapping mapping = region::tp_mapping(pair);
  const auto& regions = local.registration.regions;
  PlannedRead read;
  read.after.repacks = repack;
  for (std::size_t slot = 0; slot < mapping.sources.size(); ++slot) {
    const auto found = sources.find(mapping.sources[slot]);
    if (found == sources.end())
      return refuse("sources", std::to_string(mapping.sources[slot]), "rank without metadata");
    const AgentMetadata& metadata = found->second;
    const Expected<std::vector<Region>> remote = regions_of(metadata, "read");
    if (!remote) return std::unexpected(remote.error());
    for (const std::uint64_t size :
         {engine.dcp_size, engine.pcp_size, metadata.dcp_size, metadata.pcp_size}) {
      if (size != 1)
        return refuse("context parallel size", std::to_string(size), "such reads are not modelled");
    }
    if (metadata.block_size == 0 || engine.kernel_block_size % metadata.block_size != 0) {
      return refuse("block_size", std::to_string(metadata.block_size),
                    fmt::format("does not divide {}", engine.kernel_block_size));
    }
    if (groups_of(regions) != groups_of(*remote) && (!engine.model.latent || engine.model.mamba)) {
      read.refused = Rejection{"read",
                               0,
                               Exception::not_implemented_error,
                               "Different NIXL cache-group layouts are only supported for pure MLA models",
                               fmt::format("{} regions", regions.size()),
                               fmt::format("{} regions", remote->size()),
                               "use one page format and layout"};
      return read;
    }
    if (regions.size() != remote->size()) {
      return refuse("regions", std::to_string(remote->size()),
                    fmt::format("the local side has {}", regions.size()));
    }
    const std::uint64_t ratio = engine.kernel_block_size / metadata.block_size;
    read.after.permutes = permute && !engine.model.latent;
    read.after.regroups = engine.model.latent ? 1 : ratio;

    const Expected<BlockGroups> local_kernel =
        kernel_groups(local_blocks, region::blocks_per_logical_block(engine),
                      region::kernel_blocks_of(engine), "local blocks");
    if (!local_kernel) return std::unexpected(local_kernel.error());
    Expected<BlockGroups> remote_kernel = kernel_groups(
        remote_blocks, metadata.physical_blocks_per_logical_kv_block, metadata.num_blocks, "remote blocks");
    if (!remote_kernel) return std::unexpected(remote_kernel.error());
    BlockGroups local_sub;
    for (std::size_t g = 0; g < local_kernel->size(); ++g) {
      auto& there = (*remote_kernel)[g];
      // Only sub-blocks are clipped: of whole blocks there must be as many as the remote has at least.
      auto here =
          ratio == 1 ? (*local_kernel)[g] : region::sub_block_ids((*local_kernel)[g], ratio, there.size());
      // Prefix caching: the last remote blocks are the ones that are missing here.
      if (there.size() > here.size())
        there.erase(there.begin(), there.end() - static_cast<std::ptrdiff_t>(here.size()));
      if (here.size() > there.size())
        return refuse("local blocks", std::to_string(here.size()), "more than remote blocks");
      local_sub.push_back(std::move(here));
    }
    // Before any list of ids is made.
    std::uint64_t blocks = 0;
    for (const auto& group : local_sub) blocks += group.size();
    if (blocks > kMostCopies / std::max<std::size_t>(1, regions.size())) {
      return refuse("blocks", std::to_string(blocks),
                    fmt::format("of {} regions: more than {} copies", regions.size(), kMostCopies));
    }
    const Expected<void> done = append_copies(
        regions, *remote, region::descriptor_ids(local_sub, region::id_space_of(regions, ratio)),
        region::descriptor_ids(*remote_kernel, region::id_space_of(*remote)), ratio, slot,
        mapping.sources[slot], region::replicates_kv_cache(pair),
        {.ratio = ratio, .rank_offset_factor = mapping.rank_offset_factor, .sources = mapping.sources.size()},
        read.copies);
    if (!done) return std::unexpected(done.error());
  }
  return read;
}

std::vector<std::uint32_t> permute_rows(std::uint64_t slots, std::uint64_t tokens) {
  // x.reshape(N, H).permute(1, 0): row (h, n) is taken from flat row n·H + h.
  std::vector<std::uint32_t> from(slots * tokens);
  for (std::uint64_t h = 0; h < slots; ++h) {
    for (std::uint64_t n = 0; n < tokens; ++n)
      from[h * tokens + n] = static_cast<std::uint32_t>(n * slots + h);
  }
  return from;
}

Expected<std::vector<std::uint32_t>> permute_and_regroup_rows(std::uint64_t slots, std::uint64_t tokens,
                                                              std::uint64_t ratio) {
  // x.reshape(r, N, H/r).permute(r, H/r, N).flatten(): dims 1 and 2 are taken for tokens and heads.
  if (ratio == 0 || slots % ratio != 0) {
    return refuse("head slots", std::to_string(slots),
                  fmt::format("not a multiple of {}: reshape raises", ratio));
  }
  const std::uint64_t part = slots / ratio;
  std::vector<std::uint32_t> from(slots * tokens);
  for (std::uint64_t h = 0; h < slots; ++h) {
    for (std::uint64_t n = 0; n < tokens; ++n) {
      from[h * tokens + n] = static_cast<std::uint32_t>((h / part * tokens + n) * part + h % part);
    }
  }
  return from;
}

Expected<std::vector<std::uint32_t>> regroup_rows(std::uint64_t slots, std::uint64_t tokens,
                                                  std::uint64_t ratio) {
  // x.permute(N, H).reshape(r, N, H/r).permute(N, r, H/r).flatten().permute(H, N): the same rows, counted in
  // [N, H] order.
  auto from = permute_and_regroup_rows(slots, tokens, ratio);
  if (!from) return from;
  for (std::uint32_t& flat : *from) flat = static_cast<std::uint32_t>(flat % slots * tokens + flat / slots);
  return from;
}

}  // namespace pageproof::handshake
