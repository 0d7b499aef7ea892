// The benchmark gives a row for every shape, direction and thread count, and refuses what it cannot measure.
#include "kernels/convert/bench/bench.hpp"

#include <gtest/gtest.h>

#include "kernels/convert/bench/gpu.hpp"

namespace pageproof::convert::bench {
namespace {

TEST(bench, a_row_for_every_shape_direction_and_thread_count) {
  testing::internal::CaptureStdout();
  const auto rows = run_convert_benchmark({.bytes = 1 << 20, .threads = {1, 2}, .repetitions = 3});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  ASSERT_TRUE(rows) << to_string(rows.error());
  ASSERT_EQ(rows->size(), 4 * 2 * 2u);
  for (const Row& row : *rows) {
    EXPECT_EQ(row.bytes, 1u << 20);
    EXPECT_GT(row.converter_gb_per_s, 0);
    EXPECT_NEAR(row.ratio, row.converter_gb_per_s / row.memcpy_gb_per_s, 1e-9);
  }
}

TEST(bench, a_page_above_the_in_place_bound_has_no_in_place_row) {
  const auto rows = run_convert_benchmark(
      {.bytes = 1 << 20, .threads = {1}, .repetitions = 1, .shapes = {{16, 32, 256, 2}}});
  ASSERT_TRUE(rows) << to_string(rows.error());
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->front().name, "out of place");
}

TEST(bench, what_cannot_be_measured_is_refused_by_name) {
  const auto small = run_convert_benchmark({.bytes = 1000});
  ASSERT_FALSE(small);
  EXPECT_EQ(to_string(small.error()), "bench convert: bytes: 1000: holds no page of H=8 N=16 D=128 e=2");
  for (const std::uint64_t bytes : {kMostBytes + 1, UINT64_MAX}) {
    const auto large = run_convert_benchmark({.bytes = bytes});
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().value, std::to_string(bytes));
    EXPECT_EQ(large.error().field, "bytes");
  }
  for (const std::uint32_t repetitions : {0u, kMostRepetitions + 1, UINT32_MAX}) {
    const auto none = run_convert_benchmark({.bytes = 1 << 20, .repetitions = repetitions});
    ASSERT_FALSE(none);
    EXPECT_EQ(to_string(none.error()),
              "bench convert: repetitions: " + std::to_string(repetitions) + ": not 1 to 1000000");
  }
  const auto shape = run_convert_benchmark({.bytes = 1 << 20, .shapes = {{8, 17, 128, 2}}});
  ASSERT_FALSE(shape);
  EXPECT_EQ(to_string(shape.error()), "bench convert: shape: H=8 N=17 D=128 e=2: tokens must be 16 or 32");
}

TEST(bench, on_a_device_a_row_a_direction_and_without_one_a_line) {
  const auto report =
      run_gpu_benchmark({.bytes = 1, .repetitions = 1, .shapes = {{2, 16, 64, 2}}, .small_blocks = {1}});
  if (report) {
    EXPECT_EQ(report->rows.size(), 2u);
    EXPECT_EQ(report->small.size(), 4u) << "both directions, warm and cold";
  } else {
    EXPECT_TRUE(to_string(report.error()) == "bench gpu: device: cuda: this machine has no such device" ||
                to_string(report.error()) == "bench gpu: device: cuda: this build has no CUDA")
        << to_string(report.error());
  }
}

TEST(bench, what_no_device_could_measure_is_refused_by_name) {
  const auto bytes = run_gpu_benchmark({.bytes = kMostGpuBytes + 1});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(to_string(bytes.error()), "bench gpu: bytes: 34359738369: not 1 to 34359738368");
  const auto none = run_gpu_benchmark({.bytes = 1, .repetitions = 0});
  ASSERT_FALSE(none);
  EXPECT_EQ(to_string(none.error()), "bench gpu: repetitions: 0: not 1 to 1000000");
}

TEST(bench, the_bound_of_a_small_request_is_2_us_or_a_tenth) {
  EXPECT_DOUBLE_EQ(allowed_seconds(5e-6), 7e-6);
  EXPECT_DOUBLE_EQ(allowed_seconds(100e-6), 110e-6);
  GpuRow row{.shape = {},
             .in_place = true,
             .blocks = 1,
             .bytes = 1,
             .converter = 4,
             .memcpy = 1,
             .copy = 3,
             .identity = 2,
             .pages = 5};
  EXPECT_DOUBLE_EQ(row.share_of_limit(), 0.5);
  EXPECT_DOUBLE_EQ(row.share_of_pages(), 0.5);
}

}  // namespace
}  // namespace pageproof::convert::bench
