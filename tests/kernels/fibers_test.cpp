// The kernels that GPUs run, run as work-items in random order, do what the C ABI promises.
#include "kernels/convert/fibers/fibers.hpp"

#include <gtest/gtest.h>

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

TEST(fibers, large_pages_as_on_nvidia) {
  for (const Case& c : all_cases(6)) {
    const auto page_bytes = 2 * c.side_bytes();
    if (page_bytes <= 64 * 1024 || page_bytes > PAGEPROOF_IN_PLACE_PAGE_BYTES) continue;
    expect_converted(c, Direction::in_place, convert::kHopperLimits);
  }
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
