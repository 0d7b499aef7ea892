// What the library asks of an AMD runtime, and what it makes of the answers. The runtime is fake_hip.cpp.
#include <gtest/gtest.h>

#include <cstring>

#include "kernels/convert/arguments.hpp"
#include "tests/kernels/fake_hip.hpp"
#include "tests/kernels/pages.hpp"

namespace pageproof::tests {
namespace {

class Hip : public testing::Test {
 protected:
  Hip() : memory(make_case(), false, 1), job(memory.job()) {
    fake_hip() = FakeHip{};
    job.memory = PAGEPROOF_HIP;
  }
  ~Hip() override { EXPECT_EQ(difference(memory.planes(), memory.before()), ""); }

  static Case make_case() {
    Case c;
    c.shape = {9, 16, 128, 2};
    c.layers = 2;
    c.plane_blocks = c.standard_blocks = 5;
    c.block_ids = {4, 1, 0};
    return c;
  }

  Memory memory;
  pageproof_job job;
};

#if defined(EXPECT_BACKEND_MISSING)

TEST_F(Hip, a_runtime_without_the_functions_is_a_missing_backend) {
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_BACKEND_MISSING);
  EXPECT_EQ(pageproof_convert_in_place(&job), PAGEPROOF_BACKEND_MISSING);
}

#else

// The tests run in this order in one process: only a successful load is kept.
TEST_F(Hip, no_device) {
  fake_hip().devices = 0;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_NO_DEVICE);
  job.id_count = 0;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_NO_DEVICE) << "an empty job tells too";
}

TEST_F(Hip, a_device_without_code_is_no_device) {
  fake_hip().architecture = "gfx1100";
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_NO_DEVICE);
  EXPECT_EQ(fake_hip().modules_loaded, 0);
}

TEST_F(Hip, a_refused_module_is_a_device_error) {
  fake_hip().module_error = 200;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_DEVICE_ERROR);
}

TEST_F(Hip, one_launch_of_the_kernel_of_the_shape_on_the_stream) {
  int stream = 0;
  job.stream = &stream;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_OK);
  const FakeHip& hip = fake_hip();
  EXPECT_EQ(hip.modules_loaded, 1);
  EXPECT_EQ(hip.machine, 0x4cu) << "EF_AMDGPU_MACH_AMDGCN_GFX942";
  EXPECT_EQ(hip.launches, 1);
  EXPECT_EQ(hip.kernel, "pageproof_out_of_place_n16_d128_e2");
  EXPECT_EQ(hip.grid[0], 3u) << "blocks";
  EXPECT_EQ(hip.grid[1], 3u) << "groups of three heads of 8 KiB";
  EXPECT_EQ(hip.grid[2], 2u) << "layers";
  EXPECT_EQ(hip.work_items, 192u) << "one a tile of 128 bytes";
  EXPECT_EQ(hip.stage_bytes, 24u * 1024);
  EXPECT_EQ(hip.stream, &stream);
  convert::Arguments arguments;
  ASSERT_EQ(hip.arguments.size(), sizeof arguments);
  std::memcpy(&arguments, hip.arguments.data(), sizeof arguments);
  EXPECT_EQ(arguments.heads, 9u);
  EXPECT_EQ(arguments.staged_heads, 3u);
  EXPECT_EQ(arguments.blocks, 3u);
  EXPECT_EQ(arguments.block_ids, job.block_ids);
  EXPECT_EQ(arguments.standard_block_ids, job.block_ids);
  EXPECT_EQ(arguments.v_plane.block_stride, job.v_plane.block_stride);
}

TEST_F(Hip, in_place_pages_of_64_kib_are_staged_and_larger_ones_held) {
  job.shape.heads = 8;
  EXPECT_EQ(pageproof_convert_in_place(&job), PAGEPROOF_OK);
  EXPECT_EQ(fake_hip().kernel, "pageproof_in_place_staged_n16_d128_e2");
  EXPECT_EQ(fake_hip().grid[1], 1u);
  EXPECT_EQ(fake_hip().work_items, 512u);
  EXPECT_EQ(fake_hip().stage_bytes, 64u * 1024);
  job.shape.heads = 9;
  EXPECT_EQ(pageproof_convert_in_place(&job), PAGEPROOF_OK);
  EXPECT_EQ(fake_hip().kernel, "pageproof_in_place_held_n16_d128_e2");
  EXPECT_EQ(fake_hip().work_items, 1024u);
  EXPECT_EQ(fake_hip().stage_bytes, 64u * 1024);
}

TEST_F(Hip, another_order_launches_the_kernels_of_its_own_module) {
  const int before = fake_hip().modules_loaded;
  job.order = PAGEPROOF_TOKENS_FIRST;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_OK);
  EXPECT_EQ(fake_hip().modules_loaded, before + 1);
  EXPECT_EQ(fake_hip().kernel, "pageproof_orders_staged_e2");
  EXPECT_EQ(fake_hip().grid[1], 3u) << "groups of four heads of 8 KiB";
  EXPECT_EQ(fake_hip().work_items, 256u);
  EXPECT_EQ(fake_hip().stage_bytes, 32u * 1024);
  job.shape.heads = 8;
  EXPECT_EQ(pageproof_convert_in_place(&job), PAGEPROOF_OK);
  EXPECT_EQ(fake_hip().kernel, "pageproof_orders_staged_e2");
  EXPECT_EQ(fake_hip().work_items, 512u);
  EXPECT_EQ(fake_hip().stage_bytes, 64u * 1024);
  job.shape.heads = 9;
  job.direction = PAGEPROOF_TO_PAGES;
  EXPECT_EQ(pageproof_convert_in_place(&job), PAGEPROOF_OK);
  EXPECT_EQ(fake_hip().kernel, "pageproof_orders_held_e2");
  EXPECT_EQ(fake_hip().work_items, 1024u);
  EXPECT_EQ(fake_hip().stage_bytes, 0u);
}

TEST_F(Hip, a_refused_launch_is_a_device_error) {
  fake_hip().launch_error = 1;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_DEVICE_ERROR);
}

TEST_F(Hip, an_empty_job_launches_nothing) {
  job.id_count = 0;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_OK);
  EXPECT_EQ(fake_hip().launches, 0);
}

TEST_F(Hip, a_bad_argument_is_told_before_the_runtime_is_asked) {
  fake_hip().devices = 0;
  job.shape.head_dim = 80;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_UNSUPPORTED_HEAD_DIM);
}

#endif

}  // namespace
}  // namespace pageproof::tests
