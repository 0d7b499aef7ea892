// Three ways to read standard pages for a decoder with a K and a V plane a layer, beside the two of equal
// page formats, and what each costs. S is half a page; a layer has remote region l (pages of 2S) and local
// regions 2l, 2l + 1 (blocks of S).
//
//   halves      page byte p < S lands at byte p of the K-plane block, p >= S at byte p − S of the V-plane
//   block; then
//               each block is converted in place. Two descriptors a page that never merge: the remote's
//               stride is 2S.
//   staged      whole pages land one behind the other in staging memory: page i of layer l at (l · n + i) ·
//   2S; then
//               each is converted out of place into the planes. One descriptor a page; runs of remote ids
//               merge.
//   run halves  of a run of m consecutive blocks on both sides, byte p < m·S of the m pages lands at byte p
//   of the run
//               of K-plane blocks, p >= m·S at byte p − m·S of the run of V-plane blocks. Two descriptors a
//               run; the unit of the conversion is the run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/plan/blocks.hpp"
#include "kernels/plan/pair.hpp"
#include "kernels/plan/region.hpp"
#include "kernels/plan/table.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::plan {

enum class Strategy : std::uint8_t { halves, staged, run_halves, whole, slots };
inline constexpr Strategy kStrategies[] = {Strategy::whole, Strategy::slots, Strategy::halves,
                                           Strategy::staged, Strategy::run_halves};
std::string_view to_string(Strategy strategy);  // "halves", "staged", "run-halves", "whole", "slots"
bool converts(Strategy strategy);               // the first three

// What the converter asks of the memory in which it converts (kernels/convert/pageproof.h): the largest page
// in place, and the alignment of bases and strides.
inline constexpr std::uint64_t kInPlacePageBytes = 262144;
inline constexpr std::uint64_t kConverterAlignment = 16;

// A read as NIXL takes it: two tables, and ids into them that pair by position.
struct Read {
  DescriptorTable local;
  DescriptorTable remote;
  BlockIds local_ids;
  BlockIds remote_ids;
};

// Where whole pages are staged: one registered range on the local device.
struct Staging {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
};

// A run of consecutive blocks on both sides.
struct Run {
  std::uint64_t local = 0;
  std::uint64_t remote = 0;
  std::uint64_t blocks = 0;

  friend bool operator==(const Run&, const Run&) = default;
};
std::vector<Run> runs_of(const std::vector<BlockPair>& blocks);

// Of equal page formats: region for region, or slot for slot (pair.hpp). Refused: what prepare refuses; a
// block id that a region does not have.
Expected<Read> read_prepared(const Prepared& prepared, const PairedBlocks& blocks);

// The blocks are kernel blocks of one group, local ones distinct. Refused: what prepare refuses; regions that
// are not two planes of S for each page of 2S; a block id that a region does not have; for `staged` memory
// that holds fewer than all pages; for `run halves` blocks that do not lie one behind the other.
Expected<Read> read_halves(const Side& local, const Side& remote, const std::vector<BlockPair>& blocks);
Expected<Read> read_staged(const Side& local, const Side& remote, const Staging& staging,
                           const std::vector<BlockPair>& blocks);
Expected<Read> read_run_halves(const Side& local, const Side& remote, const std::vector<BlockPair>& blocks);

struct CostModel {
  // Per descriptor that is posted: 2 to 4 µs on cuda_ipc and PCIe, about 0.1 µs on rc_x (simulation spec).
  double seconds_per_descriptor = 2e-6;
  // NIXL over RDMA: 50 µs and 25 GB/s (BLIS's default).
  double seconds_per_read = 50e-6;
  double link_bytes_per_second = 25e9;
  // Bytes read and written by the conversion: a device copy on MI300X reaches 4.2 TB/s.
  double conversion_bytes_per_second = 4.2e12;
};

struct Cost {
  std::uint64_t planned = 0;           // descriptor pairs
  std::uint64_t posted = 0;            // after NIXL's merging
  std::uint64_t bytes = 0;             // over the link
  std::uint64_t runs = 0;              // of consecutive blocks on both sides
  std::uint64_t staging_bytes = 0;     // memory beside the pool
  std::uint64_t conversion_bytes = 0;  // read and written
  double post_seconds = 0;
  double link_seconds = 0;
  double convert_seconds = 0;

  double seconds() const { return post_seconds + link_seconds + convert_seconds; }
};
Cost cost_of(Strategy strategy, const Read& read, const std::vector<BlockPair>& blocks,
             const CostModel& model);

}  // namespace pageproof::plan
