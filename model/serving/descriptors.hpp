// How many descriptors a READ of one request posts on one rank: pages × layers × what a page is cut into. The
// counts are those of the descriptor planner (kernels/plan), stated here as formulas and tested against it.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/page/plain/error.hpp"

namespace pageproof::serving {

// What lands where: docs/plan.md. `planes` is `whole` between engines that both have a K and a V plane a
// layer.
enum class Descriptors : std::uint8_t { whole, planes, slots, halves, staged, run_halves };
inline constexpr Descriptors kDescriptors[] = {Descriptors::whole,  Descriptors::planes,
                                               Descriptors::slots,  Descriptors::halves,
                                               Descriptors::staged, Descriptors::run_halves};
std::string_view to_string(Descriptors descriptors);
Expected<Descriptors> descriptors_named(std::string_view name);

struct BlockUse {
  std::uint64_t layers = 0;
  std::uint64_t blocks = 0;  // that are read
  std::uint64_t runs = 0;    // of consecutive block ids on both sides; `blocks` where none are neighbours
};

// Pairs of rows: 1 a layer and page (whole, staged), 2 (planes, slots, halves), or 2 a layer and run.
std::uint64_t planned_descriptors(Descriptors descriptors, const BlockUse& use);

// What is left after NIXL joined neighbours: `whole`, `planes` and `staged` post a run in one; halves and
// slots never merge, for the remote's stride is not their length.
std::uint64_t merged_descriptors(Descriptors descriptors, const BlockUse& use);

}  // namespace pageproof::serving
