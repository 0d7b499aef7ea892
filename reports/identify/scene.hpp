// One comparison's two dumps and what is worked out once for all candidates: which blocks belong together,
// and which runs of S bytes hold one value throughout (nothing can be told from those, and most of a pool is
// them).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reports/identify/dumped_pages.hpp"
#include "reports/identify/placing.hpp"

namespace pageproof::reports {

// Whether each run holds one element throughout, and which.
struct Uniform {
  bool uniform = false;
  std::uint16_t value = 0;
  friend bool operator==(const Uniform&, const Uniform&) = default;
};

struct Scene {
  const DumpedPages* file = nullptr;
  const KnownPages* reference = nullptr;
  Placing reference_placing;
  Arrangement reference_arrangement = Arrangement::side_by_side;
  std::uint64_t file_blocks = 0;  // of the reference's shape
  std::uint64_t reference_blocks = 0;
  std::uint32_t threads = 1;
  std::vector<Uniform> file_slots;       // by slot number
  std::vector<Uniform> reference_slots;  // by 2 · position + slot
  std::vector<BlockPair> pairs;          // by block id

  const Shape& shape() const { return reference->shape; }
  // Both dumps number their blocks 0, 1, 2, ...: blocks that follow each other may be taken as one run of
  // tokens.
  bool numbered_from_zero() const { return file->block_ids.empty() && reference->pool.block_ids.empty(); }
};

// @pre the file holds whole pages of the reference's shape, the reference's format fits its shape
Scene make_scene(const DumpedPages& file, const KnownPages& reference, std::uint32_t threads);

// Blocks of the reference as bytes in a row; copies only where its slots lie apart.
class ReferenceBlocks {
 public:
  explicit ReferenceBlocks(const Scene& scene) : scene_(scene) {}
  // Valid until the next call.
  const std::byte* at(std::uint64_t first, std::uint64_t blocks = 1);

 private:
  const Scene& scene_;
  std::vector<std::byte> copy_;
};

// Calls work(begin, end, part) for parts of 0..count, one thread a part.
void in_parallel(std::uint64_t count, std::uint32_t parts,
                 const std::function<void(std::uint64_t, std::uint64_t, std::uint32_t)>& work);

}  // namespace pageproof::reports
