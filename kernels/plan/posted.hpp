// What NIXL posts of a read that was planned. prepXferDlist keeps equal descriptors at one distance as
// strided runs; makeXferReq then joins pairs of consecutive ids, local and remote, where both runs are dense:
// stride = len on both sides. Everything else goes out one by one. Source: NIXL's nixlMemSection::populate
// and makeXferReq, main of 2026-08-21.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/plan/table.hpp"

namespace pageproof::plan {

// `repeats` runs of `count` rows, each row `stride` after the one before, the runs one behind the other from
// row `first` on. A single row has no stride (0).
struct StridedRun {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t stride = 0;
  std::uint64_t bytes = 0;
  std::uint64_t repeats = 1;

  bool dense() const { return stride == bytes; }
  friend bool operator==(const StridedRun&, const StridedRun&) = default;
};

// The runs that populate makes: from the first row on, each as long as length and distance stay the same and
// the distance is positive. A handful a region: the sub-blocks of blocks with gaps are one entry that repeats
// (but for a region whose first row an earlier one took).
std::vector<StridedRun> strided_runs(const DescriptorTable& table);

// One posted transfer: so many consecutive pairs, from this position of the id lists on.
struct Posted {
  std::size_t position = 0;
  std::uint64_t pairs = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const Posted&, const Posted&) = default;
};

// @pre equally many ids, each in its table; the descriptors of a pair have one length
std::vector<Posted> posted(const DescriptorTable& local, std::span<const std::uint64_t> local_ids,
                           const DescriptorTable& remote, std::span<const std::uint64_t> remote_ids);

}  // namespace pageproof::plan
