#include "model/region/descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace pageproof::region {
namespace {

Expected<void> buildable(std::span<const Region> regions, std::uint64_t ratio, const std::string& subject) {
  std::uint64_t total = 0;
  for (const Region& region : regions) {
    std::uint64_t count = 0;
    const bool wraps = __builtin_mul_overflow(region.num_blocks, ratio, &count) ||
                       __builtin_add_overflow(total, count, &total);
    if (wraps || total > kMostDescriptors) {
      return std::unexpected(Error{subject, "num_blocks", std::to_string(region.num_blocks),
                                   fmt::format("more than {} descriptors in a list", kMostDescriptors)});
    }
  }
  return {};
}

}  // namespace

Descriptor local_descriptor(const Region& region, std::uint64_t block, std::uint64_t sub_block,
                            std::uint64_t ratio, std::uint64_t device) {
  const std::uint64_t bytes = region.block_len / ratio;
  return {region.base + block * region.block_stride + sub_block * bytes, bytes, device};
}

Descriptor remote_descriptor(const Region& local, const Region& remote, std::uint64_t block,
                             const RemoteSlice& slice, std::uint64_t device) {
  const std::uint64_t unit = local.block_len / slice.ratio;
  const std::uint64_t offset = slice.replicated ? 0 : slice.rank_offset_factor * unit;
  const std::uint64_t bytes = slice.replicated ? unit : unit / slice.sources;
  return {remote.base + offset + block * remote.block_stride, bytes, device};
}

Descriptor share_of(const Descriptor& local, std::uint64_t slot, const RemoteSlice& slice) {
  if (slice.replicated) return local;
  const std::uint64_t bytes = local.bytes / slice.sources;
  return {local.address + slot * bytes, bytes, local.device};
}

Expected<std::vector<Descriptor>> local_descriptors(std::span<const Region> regions, std::uint64_t ratio,
                                                    std::uint64_t device, const std::string& subject) {
  if (const Expected<void> ok = buildable(regions, ratio, subject); !ok) return std::unexpected(ok.error());
  std::vector<Descriptor> list;
  for (const Region& region : regions) {
    for (std::uint64_t block = 0; block < region.num_blocks; ++block) {
      for (std::uint64_t sub = 0; sub < ratio; ++sub) {
        list.push_back(local_descriptor(region, block, sub, ratio, device));
      }
    }
  }
  return list;
}

Expected<std::vector<Descriptor>> remote_descriptors(std::span<const Region> local,
                                                     std::span<const Region> remote, const RemoteSlice& slice,
                                                     std::uint64_t device, const std::string& subject) {
  if (local.size() != remote.size()) {
    return std::unexpected(Error{subject, "regions", std::to_string(remote.size()),
                                 fmt::format("the local side has {} regions", local.size())});
  }
  if (const Expected<void> ok = buildable(remote, 1, subject); !ok) return std::unexpected(ok.error());
  std::vector<Descriptor> list;
  for (std::size_t i = 0; i < remote.size(); ++i) {
    for (std::uint64_t block = 0; block < remote[i].num_blocks; ++block) {
      list.push_back(remote_descriptor(local[i], remote[i], block, slice, device));
    }
  }
  return list;
}

IdSpace id_space_of(std::span<const Region> regions, std::uint64_t ratio) {
  IdSpace space{.region_num_blocks = {}, .region_groups = {}, .ratio = ratio};
  for (const Region& region : regions) {
    space.region_num_blocks.push_back(region.num_blocks);
    space.region_groups.push_back(region.group);
  }
  return space;
}

bool uses_group_mapping(const IdSpace& space) {
  return std::ranges::adjacent_find(space.region_groups, std::ranges::not_equal_to{}) !=
         space.region_groups.end();
}

std::vector<std::uint64_t> descriptor_ids(const BlockGroups& blocks, const IdSpace& space) {
  std::vector<std::uint64_t> offsets;
  std::uint64_t running = 0;
  for (const std::uint64_t count : space.region_num_blocks) {
    offsets.push_back(running);
    running += count * space.ratio;
  }
  std::vector<std::uint64_t> ids;
  if (!uses_group_mapping(space)) {
    for (const std::uint64_t offset : offsets) {
      for (const auto& group : blocks) {
        for (const std::uint64_t block : group) ids.push_back(offset + block);
      }
    }
    return ids;
  }
  for (std::size_t group = 0; group < blocks.size(); ++group) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::int64_t owner = space.region_groups[i];
      if (owner != kShared && owner != static_cast<std::int64_t>(group)) continue;
      for (const std::uint64_t block : blocks[group]) ids.push_back(offsets[i] + block);
    }
  }
  return ids;
}

IdPlace place_of(std::uint64_t id, const IdSpace& space) {
  std::uint64_t region = 0;
  while (id >= space.region_num_blocks[region] * space.ratio) {
    id -= space.region_num_blocks[region] * space.ratio;
    ++region;
    assert(region < space.region_num_blocks.size());
  }
  return {region, id / space.ratio, id % space.ratio};
}

std::vector<std::uint64_t> hybrid_descriptor_ids(std::span<const std::uint64_t> attention_blocks,
                                                 std::span<const std::uint64_t> state_blocks,
                                                 const HybridSpace& space) {
  std::vector<std::uint64_t> ids;
  const std::uint64_t per_region = space.num_blocks * space.ratio;
  for (std::uint64_t region = 0; region < space.regions; ++region) {
    for (const std::uint64_t block : attention_blocks) ids.push_back(region * per_region + block);
  }
  const std::uint64_t first = space.regions * per_region;
  const std::uint64_t logical = space.num_blocks / space.blocks_per_logical_block;
  for (std::uint64_t region = 0; region < space.state_regions; ++region) {
    for (const std::uint64_t block : state_blocks) ids.push_back(first + region * logical + block);
  }
  return ids;
}

std::vector<std::uint64_t> kernel_block_ids(std::span<const std::uint64_t> logical,
                                            std::uint64_t per_logical) {
  std::vector<std::uint64_t> ids;
  for (const std::uint64_t block : logical) {
    for (std::uint64_t i = 0; i < per_logical; ++i) ids.push_back(block * per_logical + i);
  }
  return ids;
}

std::vector<std::uint64_t> sub_block_ids(std::span<const std::uint64_t> local, std::uint64_t ratio,
                                         std::uint64_t remote_count) {
  std::vector<std::uint64_t> ids = kernel_block_ids(local, ratio);
  if (ids.size() > remote_count) ids.resize(remote_count);
  return ids;
}

std::vector<Region> virtual_halves(std::span<const Region> regions) {
  std::vector<Region> halves;
  for (const Region& region : regions) {
    for (const std::uint64_t half : {0, 1}) {
      Region part = region;
      part.block_len = region.block_len / 2;
      part.base = region.base + half * part.block_len;
      halves.push_back(std::move(part));
    }
  }
  return halves;
}

}  // namespace pageproof::region
