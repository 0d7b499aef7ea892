// What a read should move, said a second time and without tables or ids: so many bytes of each pair of blocks
// from one place to another. A checker walks a plan beside it, byte by byte, so a plan may cut or join its
// rows as it likes.
//
//   whole       region for region; with unequal TP the share of this source rank
//   slots       the same inside each half of a block, which is a slot: K in one, V in the other
//   halves      page byte p < S to byte p of the K-plane block, p >= S to byte p − S of the V-plane block
//   run halves  the same with a run of m pages for a page, and m·S for S
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plan/blocks.hpp"
#include "kernels/plan/pair.hpp"
#include "kernels/plan/region.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::plan {

// Row i of `local` takes the bytes of row i of `remote`.
struct Moves {
  std::vector<Descriptor> local;
  std::vector<Descriptor> remote;

  void add(const Descriptor& to, const Descriptor& from);
};

// A region serves the blocks of its group; where all regions have one group, and where it is shared, all.
// Refused: what checked() refuses; unequal numbers of regions (for halves, of planes and halves), of groups
// or of blocks; a remote block twice in a list; groups of a region pair that differ; a region without a list,
// a list without a region; a block id that a region does not have; a slice that no rank has, or any for
// halves; blocks that the slices of all ranks do not fill exactly.
Expected<Moves> wanted_moves(const Side& local, const Side& remote, Split split, const Slice& slice,
                             const PairedBlocks& blocks);

// Refused besides: blocks that do not touch. Runs are of consecutive blocks on both sides, as long as they
// can be.
Expected<Moves> wanted_run_moves(const Side& local, const Side& remote, const PairedBlocks& blocks);

}  // namespace pageproof::plan
