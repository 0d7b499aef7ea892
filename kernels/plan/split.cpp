#include "kernels/plan/split.hpp"

#include <fmt/format.h>

#include "kernels/plan/row.hpp"

namespace pageproof::plan {

Expected<std::vector<Region>> in_halves(std::span<const Region> regions, const std::string& subject) {
  std::vector<Region> halves;
  halves.reserve(2 * regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (regions[i].block_len % 2 != 0) {
      return std::unexpected(Error{subject, fmt::format("regions[{}].block_len", i),
                                   std::to_string(regions[i].block_len), "odd: it has no two halves"});
    }
    Region half = regions[i];
    half.block_len /= 2;
    halves.push_back(half);
    half.base = half_base(regions[i].base, std::uint64_t{1}, half.block_len);
    halves.push_back(half);
  }
  return halves;
}

}  // namespace pageproof::plan
