// What one rank registered, as plain numbers: where the blocks of each region lie. A planner needs nothing
// else of an engine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::plan {

enum class Memory : std::uint8_t { vram, dram };

// The group of a region that several transfer groups share.
inline constexpr std::int64_t kShared = -1;

// Block b is the block_len bytes at base + b · block_stride. Source: connector spec §3.4.
struct Region {
  std::uint64_t base = 0;
  std::uint64_t block_len = 0;     // bytes transferred for a block
  std::uint64_t block_stride = 0;  // bytes between blocks
  std::uint64_t num_blocks = 0;    // kernel blocks
  std::int64_t group = 0;          // transfer group, or kShared
  Memory memory = Memory::vram;
  bool replicated = false;  // every tensor-parallel rank holds the same bytes
  std::string name = {};    // of the layer

  friend bool operator==(const Region&, const Region&) = default;
};

struct Side {
  std::vector<Region> regions;  // in region order
  std::uint64_t device = 0;     // device id of every descriptor
};

// Then every region holds blocks of every list; else a region holds those of the list that its group numbers,
// or of all where it is shared.
bool of_one_group(std::span<const Region> regions);
bool serves(const Region& region, bool one_group, std::size_t list);

// A row of what NIXL's prep_xfer_dlist takes: a C-contiguous N x 3 array of uint64.
struct Descriptor {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t device = 0;

  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};
static_assert(sizeof(Descriptor) == 24);

// Refused: no regions; a length or a number of blocks of 0; a group below kShared; a block_stride below its
// block_len; regions whose bytes wrap 2^64; 2^63 blocks or more. `subject` names the side.
Expected<void> checked(std::span<const Region> regions, const std::string& subject);

}  // namespace pageproof::plan
