// A checked job, as the backends take it: the kernel's arguments and the size of the launch.
#pragma once

#include <cstdint>

#include "kernels/convert/arguments.hpp"
#include "kernels/convert/shapes.hpp"

namespace pageproof::convert {

enum class Direction : std::uint8_t { out_of_place, in_place };

struct Launch {
  Arguments arguments;
  pageproof_shape shape;
  Mode mode;
  std::uint32_t blocks;       // of the list
  std::uint32_t head_groups;  // grid y; in place the workgroups of a cluster, which share a page
  std::uint32_t layers;       // grid z
  std::uint32_t work_items;   // of a team
  std::uint32_t teams;        // of a workgroup, a block of the list each; 1 where head_groups is not
  std::uint32_t stage_bytes;  // of a workgroup: LDS, shared memory

  std::uint32_t block_groups() const { return (blocks + teams - 1) / teams; }  // grid x
};

// `job` has passed check_arguments.
Launch plan_launch(const pageproof_job& job, Direction direction, const Limits& limits);

// Runs f(Geometry<N, D, e>{}) for the shape, one of the twelve.
template <class F>
auto with_geometry(const pageproof_shape& shape, F&& f) {
#define PAGEPROOF_TRY(N, D, E) \
  if (shape.tokens == N && shape.head_dim == D && shape.element_bytes == E) return f(Geometry<N, D, E>{});
  PAGEPROOF_FOR_EACH_SHAPE(PAGEPROOF_TRY)
#undef PAGEPROOF_TRY
  __builtin_unreachable();
}

// Host memory: returns when the pages are converted. PAGEPROOF_OUT_OF_MEMORY before anything is written.
pageproof_status run_on_host(const pageproof_job& job, Direction direction);

// Device memory: returns when the launch is accepted.
pageproof_status run_on_cuda(const pageproof_job& job, Direction direction);
pageproof_status run_on_hip(const pageproof_job& job, Direction direction);

}  // namespace pageproof::convert
