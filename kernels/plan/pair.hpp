// Two engines prepared for reads: a table of local and one of remote descriptors for each remote rank that is
// read, and the order of ids over them. Nothing grows with the number of blocks; a read then only fills ids.
// Source: connector spec §2.5, §4.1 to §4.3; the split forms: split.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/plan/ids.hpp"
#include "kernels/plan/region.hpp"
#include "kernels/plan/table.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::plan {

enum class Split : std::uint8_t {
  none,    // region for region, as today
  halves,  // each remote block as two byte halves, for the two local planes
  slots,   // blocks of both sides as two slots
};

// How this decode rank reads one remote rank.
struct Slice {
  std::uint64_t ratio = 1;               // remote blocks to a local block
  std::uint64_t sources = 1;             // remote ranks that fill one local block (P_TP > D_TP)
  std::uint64_t slot = 0;                // which of them this one is
  std::uint64_t shares = 1;              // decode ranks' shares that one remote block holds (D_TP > P_TP)
  std::uint64_t rank_offset_factor = 0;  // which of them is this rank's

  friend bool operator==(const Slice&, const Slice&) = default;
};

struct Prepared {
  std::vector<Region> local_regions;  // after the split
  std::vector<Region> remote_regions;
  DescriptorTable local;
  DescriptorTable remote;
  IdOrder local_order;
  IdOrder remote_order;
};

// Refused: what checked() refuses of regions; regions of two memories on one side; unequal numbers of
// regions, group lists that differ, or lengths of one region that differ between the sides; a block_len that
// the ratio or the sources do not divide; halves with unequal TP or block sizes, slots with unequal block
// sizes; 2^63 descriptors or more.
Expected<Prepared> prepare(const Side& local, const Side& remote, Split split, const Slice& slice);

}  // namespace pageproof::plan
