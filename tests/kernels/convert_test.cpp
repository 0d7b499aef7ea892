// The converter on the CPU moves every element where the contract says and touches no other byte.
#include <gtest/gtest.h>

#include "tests/kernels/pages.hpp"

namespace pageproof::tests {
namespace {

void expect_converted(const Case& c, bool in_place, std::uint32_t threads) {
  Memory memory(c, in_place, 17);
  ASSERT_NE(memory.before(), memory.expected()) << to_string(c) << ": the case tests nothing";
  const pageproof_job job = memory.job(threads);
  EXPECT_EQ(in_place ? pageproof_convert_in_place(&job) : pageproof_convert(&job), PAGEPROOF_OK)
      << to_string(c);
  EXPECT_EQ(difference(memory.planes(), memory.expected()), "")
      << to_string(c) << (in_place ? " in place" : "");
  EXPECT_TRUE(memory.standard_untouched()) << to_string(c);
}

class Seeds : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Seeds, out_of_place_every_shape_becomes_what_the_contract_says) {
  for (const Case& c : all_cases(GetParam())) expect_converted(c, false, 1);
}

TEST_P(Seeds, in_place_every_page_within_the_bound_becomes_what_the_contract_says) {
  for (const Case& c : all_cases(GetParam(), PAGEPROOF_IN_PLACE_PAGE_BYTES)) expect_converted(c, true, 1);
}

TEST_P(Seeds, two_threads_and_more_threads_than_work_give_the_same) {
  for (const Case& c : all_cases(GetParam(), 16 * 1024)) {
    expect_converted(c, false, 2);
    expect_converted(c, true, 1000);
  }
}

INSTANTIATE_TEST_SUITE_P(convert, Seeds, testing::Values(1, 2, 3, 4));

TEST(convert, strides_and_id_widths_in_every_combination) {
  for (const Strides strides : {Strides::dense, Strides::two_slot, Strides::padded}) {
    for (const std::uint32_t id_bytes : {4u, 8u}) {
      for (const std::uint32_t layers : {1u, 2u, 3u}) {
        for (const std::uint32_t heads : {1u, 3u}) {
          Case c;
          c.shape = {heads, 16, 64, 2};
          c.layers = layers;
          c.id_bytes = id_bytes;
          c.strides = strides;
          c.plane_blocks = 5;
          c.standard_blocks = 9;
          c.block_ids = {4, 0, 2};
          c.standard_block_ids = {8, 3, 8};
          expect_converted(c, false, 1);
          expect_converted(c, true, 1);
        }
      }
    }
  }
}

TEST(convert, without_source_ids_a_block_keeps_its_id) {
  Case c;
  c.plane_blocks = c.standard_blocks = 3;
  c.block_ids = {2, 0};
  expect_converted(c, false, 1);
}

// Above 8 MiB the stores stream around the caches.
TEST(convert, a_large_job_gives_the_same) {
  Case c;
  c.shape = {8, 16, 128, 2};
  c.layers = 3;
  c.plane_blocks = c.standard_blocks = 70;
  c.block_ids.clear();
  for (int i = 0; i < 64; ++i) c.block_ids.push_back(i * 9 % 70);
  expect_converted(c, false, 1);
  expect_converted(c, false, 2);
  expect_converted(c, true, 2);
}

TEST(convert, nothing_to_do_is_no_error) {
  Memory memory(Case{}, false, 1);
  pageproof_job job = memory.job();
  job.id_count = 0;
  job.block_ids = nullptr;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_OK);
  job = memory.job();
  job.layers = 0;
  job.k_plane.layer_bases = nullptr;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_OK);
  EXPECT_EQ(difference(memory.planes(), memory.before()), "");
}

// Without a device, nothing happens and the reason is told; an empty job asks whether there is one.
TEST(convert, device_memory_without_a_device_is_refused) {
  for (const pageproof_memory device : {PAGEPROOF_CUDA, PAGEPROOF_HIP}) {
    Memory memory(Case{}, false, 1);
    pageproof_job job = memory.job();
    job.memory = device;
    job.id_count = 0;
    const pageproof_status there = pageproof_convert(&job);
    if (there == PAGEPROOF_OK) continue;
    EXPECT_TRUE(there == PAGEPROOF_BACKEND_MISSING || there == PAGEPROOF_NO_DEVICE) << there;
    job = memory.job();
    job.memory = device;
    EXPECT_EQ(pageproof_convert(&job), there);
    EXPECT_EQ(pageproof_convert_in_place(&job), there);
    EXPECT_EQ(difference(memory.planes(), memory.before()), "");
  }
}

}  // namespace
}  // namespace pageproof::tests
