#include "reports/identify/dumped_pages.hpp"

#include <unordered_map>

namespace pageproof::reports {

std::string to_string(Arrangement arrangement) {
  switch (arrangement) {
    case Arrangement::side_by_side:
      return "both sides of a block side by side";
    case Arrangement::one_after_another:
      return "all K blocks, then all V blocks";
    case Arrangement::two_tensors:
      break;
  }
  return "two tensors";
}

std::vector<BlockPair> pair_blocks(const DumpedPages& file, std::uint64_t file_blocks,
                                   const DumpedPages& reference, std::uint64_t reference_blocks) {
  std::unordered_map<std::uint64_t, std::uint64_t> position_of;
  position_of.reserve(reference_blocks);
  for (std::uint64_t j = 0; j < reference_blocks; ++j) position_of.emplace(reference.block_id(j), j);
  std::vector<BlockPair> pairs;
  for (std::uint64_t i = 0; i < file_blocks; ++i) {
    const auto found = position_of.find(file.block_id(i));
    if (found != position_of.end()) pairs.push_back({i, found->second});
  }
  return pairs;
}

}  // namespace pageproof::reports
