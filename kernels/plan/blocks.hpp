// Block ids of a request, from what the scheduler says to what the descriptors count: one list a transfer
// group, of manager blocks; then of kernel blocks; then, where the other side's blocks are smaller, of their
// sub-blocks. Source: connector spec §3.6, §4.5, §5.3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::plan {

using BlockIds = std::vector<std::uint64_t>;
using BlockGroups = std::vector<BlockIds>;

// More than any request has; a list above this is refused before it is built.
inline constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 24;

// More descriptors than this are not made for one request.
inline constexpr std::uint64_t kMostRequestRows = std::uint64_t{1} << 24;

struct BlockPair {
  std::uint64_t local = 0;
  std::uint64_t remote = 0;

  friend bool operator==(const BlockPair&, const BlockPair&) = default;
};

struct BlockUnits {
  std::uint64_t local_per_logical = 1;  // kernel blocks of a manager block
  std::uint64_t remote_per_logical = 1;
  std::uint64_t ratio = 1;  // remote blocks to a local block: local tokens / remote tokens
};

struct PairedBlocks {
  BlockGroups local;   // sub-block ids, kernel block · ratio + part
  BlockGroups remote;  // kernel block ids

  bool empty() const;  // nothing to read: a full prefix hit
};

// Refused: blocks of all groups times `rows_per_block` above kMostRequestRows.
Expected<void> few_enough(const BlockGroups& blocks, std::uint64_t rows_per_block);

// Pairs by position. Where fewer local blocks than remote ones are asked for, the first remote ones are a
// prefix that the decoder has already, and the last ones are kept; where the last local block is not filled
// (ratio > 1), its tail is left out. Refused: unequal numbers of groups, more local than remote blocks at
// ratio 1, an id twice in a list, zero units, lists above kMostBlocks.
Expected<PairedBlocks> pair_blocks(const BlockGroups& local, const BlockGroups& remote,
                                   const BlockUnits& units);

}  // namespace pageproof::plan
