#include "kernels/convert/overlap.hpp"

#include <algorithm>

namespace pageproof::convert {
namespace {

struct Interval {
  std::uint64_t begin;
  std::uint64_t end;
  bool written;
};

std::uint64_t first_byte(const Region& region) {
  return region.base + region.ids.front() * region.stride;
}
std::uint64_t end_byte(const Region& region) {
  return region.base + region.ids.back() * region.stride + region.block_bytes;
}

// Regions whose extents meet: all their blocks, in one ascending list.
bool blocks_overlap(std::span<const Region> regions) {
  std::vector<Interval> blocks;
  for (const Region& region : regions) {
    for (const std::uint64_t id : region.ids) {
      const std::uint64_t begin = region.base + id * region.stride;
      blocks.push_back({begin, begin + region.block_bytes, region.written});
    }
  }
  std::ranges::sort(blocks, {}, &Interval::begin);
  std::uint64_t written_end = 0;
  std::uint64_t any_end = 0;
  for (const Interval& block : blocks) {
    if (block.begin < (block.written ? any_end : written_end)) return true;
    any_end = std::max(any_end, block.end);
    if (block.written) written_end = std::max(written_end, block.end);
  }
  return false;
}

}  // namespace

bool any_overlap(std::vector<Region> regions) {
  std::ranges::sort(regions, {}, first_byte);
  for (std::size_t first = 0; first < regions.size();) {
    std::size_t end = first + 1;
    std::uint64_t reach = end_byte(regions[first]);
    bool written = regions[first].written;
    for (; end < regions.size() && first_byte(regions[end]) < reach; ++end) {
      reach = std::max(reach, end_byte(regions[end]));
      written |= regions[end].written;
    }
    // Blocks of one region lie a stride apart and cannot touch.
    const bool alone = end == first + 1;
    if (!alone && written && blocks_overlap(std::span(regions).subspan(first, end - first))) return true;
    first = end;
  }
  return false;
}

}  // namespace pageproof::convert
