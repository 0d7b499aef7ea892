// Today's descriptors (addr, len, device) and their ids: region-major, then block, then sub-block. A read
// names pairs of ids, local and remote, paired by position; what lands where follows from nothing else.
// Source: spec §4.1 to §4.5.
//
// The length of a remote descriptor comes from the local block_len, its address and stride from the remote's
// metadata (trap T14). The lists here are built for regions of a few thousand blocks; a read resolves single
// ids instead.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/region/registration.hpp"

namespace pageproof::region {

struct Descriptor {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t device = 0;

  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

inline constexpr std::uint64_t kMostDescriptors = std::uint64_t{1} << 22;

// How this decode rank reads one remote region.
struct RemoteSlice {
  std::uint64_t ratio = 1;               // r: local block tokens / remote block tokens
  std::uint64_t rank_offset_factor = 0;  // of TpMapping
  std::uint64_t sources = 1;             // remote ranks that fill one local block
  bool replicated = false;               // the region holds the same bytes on every rank
};

// The descriptor of sub-block j of block b: base + b·stride + j·(len / r). @pre ratio >= 1
Descriptor local_descriptor(const Region& region, std::uint64_t block, std::uint64_t sub_block,
                            std::uint64_t ratio, std::uint64_t device);
// Of remote block b: base + rank offset + b·stride, as long as the local sub-block's share of this source.
Descriptor remote_descriptor(const Region& local, const Region& remote, std::uint64_t block,
                             const RemoteSlice& slice, std::uint64_t device);
// The part of a local descriptor that source `slot` of `sources` fills (P_TP > D_TP).
Descriptor share_of(const Descriptor& local, std::uint64_t slot, const RemoteSlice& slice);

// Whole lists, in id order. Refused above kMostDescriptors.
Expected<std::vector<Descriptor>> local_descriptors(std::span<const Region> regions, std::uint64_t ratio,
                                                    std::uint64_t device, const std::string& subject);
Expected<std::vector<Descriptor>> remote_descriptors(std::span<const Region> local,
                                                     std::span<const Region> remote, const RemoteSlice& slice,
                                                     std::uint64_t device, const std::string& subject);

// Ids of these blocks, one list of kernel block ids a transfer group. Without group mapping: for each region,
// all groups' blocks in a row. With it (regions of more than one group): for each group, its regions and the
// shared ones. Both sides must use the same mode, for the orders differ (trap T15).
using BlockGroups = std::vector<std::vector<std::uint64_t>>;
struct IdSpace {
  std::vector<std::uint64_t> region_num_blocks = {};
  std::vector<std::int64_t> region_groups = {};
  std::uint64_t ratio = 1;
};
IdSpace id_space_of(std::span<const Region> regions, std::uint64_t ratio = 1);
bool uses_group_mapping(const IdSpace& space);
std::vector<std::uint64_t> descriptor_ids(const BlockGroups& blocks, const IdSpace& space);

// The region, block and sub-block of an id. @pre id below the number of descriptors
struct IdPlace {
  std::uint64_t region = 0;
  std::uint64_t block = 0;
  std::uint64_t sub_block = 0;

  friend bool operator==(const IdPlace&, const IdPlace&) = default;
};
IdPlace place_of(std::uint64_t id, const IdSpace& space);

// Ids of a model with Mamba layers beside attention (only the ids: their regions are not modelled).
struct HybridSpace {
  std::uint64_t regions = 0;
  std::uint64_t num_blocks = 0;  // kernel blocks
  std::uint64_t ratio = 1;
  std::uint64_t blocks_per_logical_block = 1;
  std::uint64_t state_regions =
      0;  // conv sub-projections and state: (regions with Mamba) · (sub-projections + 1)
};
std::vector<std::uint64_t> hybrid_descriptor_ids(std::span<const std::uint64_t> attention_blocks,
                                                 std::span<const std::uint64_t> state_blocks,
                                                 const HybridSpace& space);

// Logical block ids as kernel block ids: b -> b·ppl + 0 .. ppl−1.
std::vector<std::uint64_t> kernel_block_ids(std::span<const std::uint64_t> logical,
                                            std::uint64_t per_logical);
// Local block ids as ids of sub-blocks, r to a block, clipped to the remote's number of blocks: the tail of
// the last block is not transferred.
std::vector<std::uint64_t> sub_block_ids(std::span<const std::uint64_t> local, std::uint64_t ratio,
                                         std::uint64_t remote_count);

// The RFC's split read: each remote region as two virtual regions of half a block, at offsets 0 and block_len
// / 2, ordered as the local K and V planes are. Halves of bytes, not K and V. Never registered: for transfer
// lists alone.
std::vector<Region> virtual_halves(std::span<const Region> regions);

}  // namespace pageproof::region
