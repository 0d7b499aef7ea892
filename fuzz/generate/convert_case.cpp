#include "fuzz/generate/convert_case.hpp"

#include <algorithm>

namespace pageproof::fuzz {
namespace {

constexpr std::uint64_t kHighSideBytes = 2048;  // high ids need hundreds of blocks, which are small ones then

// A number of [1, most] that is not `other`.
std::uint64_t count_but(Choices& choices, std::uint64_t most, std::uint64_t other) {
  const bool skips = other >= 1 && other <= most;
  const std::uint64_t number = choices.between(1, most - (skips ? 1 : 0));
  return number + (skips && number >= other ? 1 : 0);
}

}  // namespace

const Extent& small_extent() {
  static const Extent extent{.heads = 3,
                             .token_granules = 2,
                             .head_dim_granules = 2,
                             .fast_share = 1,
                             .fast_head_dims = 1,
                             .page_bytes = {std::uint64_t{1} << 20},
                             .layers = 2,
                             .blocks = 3,
                             .gaps = 1,
                             .threads = 1,
                             .seeds = 1};
  return extent;
}

const Extent& wide_extent() {
  static const Extent extent{.heads = 12,
                             .token_granules = 4,
                             .head_dim_granules = 5,
                             .fast_share = 3,
                             .page_bytes = {2048, 2048, 4096, 4096, 4096, 8192, 16384, 65536},
                             .layers = 3,
                             .blocks = 6,
                             .high_ids = true,
                             .gaps = 4,
                             .threads = 3,
                             .seeds = std::uint64_t{1} << 32};
  return extent;
}

Shape make_shape(Choices& choices, const Extent& extent) {
  Shape shape;
  shape.element_bytes = choices.flag() ? 1 : 2;
  const std::uint64_t x = shape.granule_elements();
  const std::uint64_t budget = choices.element_of(extent.page_bytes);
  if (extent.only_fast_shapes || choices.below(1 + extent.fast_share) > 0) {
    shape.tokens = choices.flag() ? 32 : 16;
    shape.head_dim = 64u << choices.below(extent.fast_head_dims);
  } else {
    shape.tokens = x * choices.between(1, extent.token_granules);
    shape.head_dim = x * choices.between(1, extent.head_dim_granules);
  }
  const std::uint64_t head_bytes = 2 * shape.tokens * shape.head_dim * shape.element_bytes;
  const std::uint64_t most = std::clamp(budget / head_bytes, std::uint64_t{1}, extent.heads);
  shape.heads = count_but(choices, most, shape.tokens);
  return shape;
}

// Lists come last: a choice that changes their length then leaves the meaning of the others alone.
ConvertCase make_convert_case(Choices& choices, const Extent& extent) {
  ConvertCase c;
  c.shape = make_shape(choices, extent);
  c.tokens_first = choices.flag();
  c.rewrite = c.shape.element_bytes == 1 && choices.flag();
  c.layers = choices.between(1, extent.layers);
  c.planes = choices.flag() ? Planes::two_slot : Planes::separate;
  for (std::uint64_t* bytes : {&c.standard_gap, &c.plane_gap, &c.standard_base, &c.plane_base}) {
    *bytes = kGranuleBytes * choices.below(extent.gaps);
  }
  c.id_bytes = choices.flag() ? 8 : 4;
  c.threads = choices.between(1, extent.threads);
  c.seed = choices.below(extent.seeds);
  c.standard_blocks = choices.between(1, extent.blocks);
  c.plane_blocks = count_but(choices, extent.blocks, c.standard_blocks);
  const std::uint64_t count = choices.below(std::min(c.standard_blocks, c.plane_blocks) + 1);
  c.from = choices.distinct_below(count, c.standard_blocks);
  c.to = choices.distinct_below(count, c.plane_blocks);
  if (extent.high_ids && c.shape.side_bytes() <= kHighSideBytes && choices.one_in(8)) {
    const std::uint64_t before = choices.between(250, 260);
    c.layers = 1;
    c.plane_blocks += before;
    for (std::uint64_t& id : c.to) id += before;
  }
  return c;
}

}  // namespace pageproof::fuzz
