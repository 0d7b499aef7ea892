// The kernels that GPUs run, run as work-items in random order, do what the C ABI promises.
#include "kernels/convert/fibers/fibers.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/kernels/pages.hpp"

namespace pageproof::tests {
namespace {

using convert::convert_on_fibers;
using convert::Direction;

void expect_converted(const Case& c, Direction direction, const convert::Limits& limits) {
  Memory memory(c, direction == Direction::in_place, 23);
  EXPECT_EQ(convert_on_fibers(memory.job(), direction, 23, limits), PAGEPROOF_OK) << to_string(c);
  EXPECT_EQ(difference(memory.planes(), memory.expected()), "") << to_string(c);
  EXPECT_TRUE(memory.standard_untouched()) << to_string(c);
}

TEST(fibers, every_shape_as_on_amd) {
  for (const Case& c : all_cases(5)) {
    expect_converted(c, Direction::out_of_place, convert::kAmdLimits);
    if (2 * c.side_bytes() <= PAGEPROOF_IN_PLACE_PAGE_BYTES)
      expect_converted(c, Direction::in_place, convert::kAmdLimits);
  }
}

// Small blocks share a workgroup there, and workgroups of a cluster a page.
TEST(fibers, every_shape_as_on_nvidia) {
  for (const Case& c : all_cases(6)) {
    expect_converted(c, Direction::out_of_place, convert::kHopperLimits);
    if (2 * c.side_bytes() > PAGEPROOF_IN_PLACE_PAGE_BYTES) continue;
    expect_converted(c, Direction::in_place, convert::kHopperLimits);
    if (2 * c.side_bytes() > convert::kAmpereLimits.stage_bytes)
      expect_converted(c, Direction::in_place, convert::kAmpereLimits);
  }
}

convert::Launch planned(const pageproof_shape& shape, std::uint64_t blocks, Direction direction,
                        const convert::Limits& limits) {
  pageproof_job job{};
  job.shape = shape;
  job.layers = 36;
  job.id_count = blocks;
  return convert::plan_launch(job, direction, limits);
}

// Whatever the shape and the request, a launch stays within what its device and its kernels have room for.
TEST(fibers, launches_fit_their_devices) {
  struct Device {
    convert::Limits limits;
    std::uint32_t stage_bytes, work_items, held_work_items, cluster;
  };
  const Device devices[] = {{convert::kAmdLimits, 64 * 1024, 512, 1024, 1},
                            {convert::kAmpereLimits, 128 * 1024, 512, 512, 1},
                            {convert::kHopperLimits, 128 * 1024, 512, 512, 8}};
  int launches = 0;
  for (const auto& [limits, stage_bytes, work_items, held_work_items, cluster] : devices) {
    for (const std::uint32_t heads : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 16u, 31u, 128u}) {
      for (const auto& [tokens, head_dim, element_bytes] :
           {std::array{16u, 64u, 1u}, {16u, 128u, 2u}, {32u, 64u, 1u}, {32u, 256u, 1u}, {32u, 256u, 2u}}) {
        for (const std::uint64_t blocks : {1u, 7u, 4096u}) {
          for (const Direction direction : {Direction::out_of_place, Direction::in_place}) {
            const bool in_place = direction == Direction::in_place;
            const std::uint32_t head_bytes = 2 * tokens * head_dim * element_bytes;
            if (in_place && heads * head_bytes > PAGEPROOF_IN_PLACE_PAGE_BYTES) continue;
            const convert::Launch launch =
                planned({heads, tokens, head_dim, element_bytes}, blocks, direction, limits);
            const bool held = launch.mode == convert::Mode::in_place_held;
            ++launches;
            EXPECT_LE(launch.stage_bytes, stage_bytes);
            EXPECT_LE(launch.work_items * launch.teams, held ? held_work_items : work_items);
            EXPECT_EQ(launch.stage_bytes, launch.teams * launch.arguments.staged_heads * head_bytes);
            EXPECT_LE(launch.teams, blocks);
            EXPECT_GE(launch.block_groups() * launch.teams, blocks);
            EXPECT_TRUE(launch.teams == 1 || launch.head_groups == 1);
            const std::uint32_t staged = launch.arguments.staged_heads * launch.head_groups;
            if (held) {
              const std::uint32_t rest = heads - launch.arguments.staged_heads;
              EXPECT_LE(rest * head_bytes, launch.work_items * convert::kHeldBytes);
            } else {
              EXPECT_GE(staged, heads);
              EXPECT_LT(staged - heads, launch.arguments.staged_heads);
            }
            EXPECT_LE(in_place ? launch.head_groups : 1, cluster);
          }
        }
      }
    }
  }
  EXPECT_GT(launches, 600);
}

TEST(fibers, jobs_are_refused_as_by_the_c_abi) {
  Memory memory(Case{}, false, 1);
  pageproof_job job = memory.job();
  job.shape.tokens = 17;
  EXPECT_EQ(convert_on_fibers(job, Direction::out_of_place, 1), PAGEPROOF_UNSUPPORTED_TOKENS);
  job = memory.job();
  job.memory = PAGEPROOF_CUDA;
  EXPECT_EQ(convert_on_fibers(job, Direction::out_of_place, 1), PAGEPROOF_UNKNOWN_MEMORY);
  job = memory.job();
  job.k_plane.num_blocks = 0;
  EXPECT_EQ(convert_on_fibers(job, Direction::out_of_place, 1), PAGEPROOF_BLOCK_ID_OUT_OF_RANGE);
  job = memory.job();
  EXPECT_EQ(convert_on_fibers(job, Direction::in_place, 1,
                              {.stage_bytes = 1024, .staged_work_items = 1, .held_work_items = 1}),
            PAGEPROOF_PAGE_TOO_LARGE);
  EXPECT_EQ(difference(memory.planes(), memory.before()), "");
}

// With device memory the host cannot check ids, so the kernel does: such a block is skipped, the others are
// not.
TEST(fibers, the_kernel_skips_ids_out_of_range) {
  for (const std::uint32_t id_bytes : {4u, 8u}) {
    Case c;
    c.id_bytes = id_bytes;
    c.plane_blocks = 4;
    c.standard_blocks = 3;
    c.block_ids = {3, -1, 0, 4, 1, 2};
    c.standard_block_ids = {0, 1, 3, 2, -5, 2};  // the first and the last pair are in range
    for (const bool in_place : {false, true}) {
      if (in_place) c.standard_block_ids = {0, 0, 0, 0, 0, 0};
      Memory memory(c, in_place, 3);
      const auto direction = in_place ? Direction::in_place : Direction::out_of_place;
      ASSERT_NE(memory.before(), memory.expected());
      convert::fibers::run_launch<convert::fibers::FiberItem>(
          convert::plan_launch(memory.job(), direction, convert::kAmdLimits), 3);
      EXPECT_EQ(difference(memory.planes(), memory.expected()), "")
          << "id_bytes=" << id_bytes << " in_place=" << in_place;
    }
  }
}

}  // namespace
}  // namespace pageproof::tests
