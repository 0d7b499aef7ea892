#include "kernels/plan/region.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pageproof::plan {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 63;

std::unexpected<Error> refuse(const std::string& subject, std::size_t region, const char* field,
                              std::uint64_t value, std::string problem) {
  return std::unexpected(Error{subject, fmt::format("regions[{}].{}", region, field), std::to_string(value),
                               std::move(problem)});
}

}  // namespace

bool of_one_group(std::span<const Region> regions) {
  return std::ranges::adjacent_find(regions, std::ranges::not_equal_to{}, &Region::group) == regions.end();
}

bool serves(const Region& region, bool one_group, std::size_t list) {
  return one_group || region.group == kShared || region.group == static_cast<std::int64_t>(list);
}

// Bytes from base to the end of the last block fit below 2^64.
Expected<void> checked(std::span<const Region> regions, const std::string& subject) {
  if (regions.empty()) return std::unexpected(Error{subject, "regions", "[]", "no region to plan for"});
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Region& region = regions[i];
    if (region.block_len == 0) return refuse(subject, i, "block_len", 0, "not positive");
    if (region.num_blocks == 0) return refuse(subject, i, "num_blocks", 0, "not positive");
    if (region.group < kShared) {
      return std::unexpected(Error{subject, fmt::format("regions[{}].group", i), std::to_string(region.group),
                                   "no transfer group: 0 or more, or -1"});
    }
    if (region.block_stride < region.block_len) {
      return refuse(subject, i, "block_stride", region.block_stride,
                    fmt::format("below block_len {}", region.block_len));
    }
    std::uint64_t end = 0;
    if (__builtin_mul_overflow(region.num_blocks - 1, region.block_stride, &end) ||
        __builtin_add_overflow(end, region.block_len, &end) ||
        __builtin_add_overflow(end, region.base, &end)) {
      return refuse(subject, i, "num_blocks", region.num_blocks, "the region's end wraps 2^64");
    }
    if (region.num_blocks >= kMostRows - rows) {
      return refuse(subject, i, "num_blocks", region.num_blocks, "2^63 descriptors or more");
    }
    rows += region.num_blocks;
  }
  return {};
}

}  // namespace pageproof::plan
