// The other orders on the CPU: pages of tokens first, the way back, the rewrite of e4m3, out of place and in
// place, every byte against plain loops over the contract.
#include <gtest/gtest.h>

#include "kernels/convert/orders/rewrite.hpp"
#include "tests/kernels/pages.hpp"

namespace pageproof::tests {
namespace {

void expect_converted(const Case& c, bool in_place, std::uint32_t threads) {
  Memory memory(c, in_place, 29);
  const bool tests_nothing =
      memory.before() == memory.expected() && memory.standard() == memory.expected_standard();
  ASSERT_FALSE(tests_nothing) << to_string(c);
  const pageproof_job job = memory.job(threads);
  EXPECT_EQ(in_place ? pageproof_convert_in_place(&job) : pageproof_convert(&job), PAGEPROOF_OK)
      << to_string(c);
  EXPECT_EQ(memory.wrong(), "") << to_string(c) << (in_place ? " in place" : "");
}

TEST(orders, out_of_place_every_shape_becomes_what_the_contract_says) {
  for (const Case& c : all_order_cases(1)) expect_converted(c, false, 1);
}

TEST(orders, in_place_every_page_within_the_bound_becomes_what_the_contract_says) {
  for (const Case& c : all_order_cases(2, PAGEPROOF_IN_PLACE_PAGE_BYTES)) expect_converted(c, true, 1);
}

TEST(orders, two_threads_and_more_threads_than_work_give_the_same) {
  for (const Case& c : all_order_cases(3, 16 * 1024)) {
    expect_converted(c, false, 2);
    expect_converted(c, true, 1000);
  }
}

// The form without a table in the job's memory, for the orders here and for standard pages.
TEST(orders, layers_by_base_and_stride_are_the_layers_of_the_table) {
  for (const std::uint32_t layers : {1u, 3u}) {
    for (const pageproof_order order : {PAGEPROOF_HEADS_FIRST, PAGEPROOF_TOKENS_FIRST}) {
      for (const Strides strides : {Strides::dense, Strides::two_slot, Strides::padded}) {
        Case c;
        c.shape = {3, 16, 64, 2};
        c.layers = layers;
        c.strides = strides;
        c.order = order;
        c.base_and_stride = true;
        c.plane_blocks = 5;
        c.standard_blocks = 4;
        c.block_ids = {4, 0};
        c.standard_block_ids = {1, 3};
        expect_converted(c, false, 1);
        expect_converted(c, true, 1);
      }
    }
  }
}

// ---- the rewrite, for every code by what it means

TEST(rewrite, the_three_codes_that_change_are_those_of_the_source) {
  for (int code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    const int expected = code == 0x80 ? 0x00 : (code & 0x7F) == 0x7F ? 0x80 : code;
    EXPECT_EQ(rewritten(byte), expected) << code;
  }
}

// A byte's result depends on its own code alone: carries would come from the byte below.
TEST(rewrite, four_codes_at_once_are_four_codes) {
  for (std::uint32_t low = 0; low < 256; ++low) {
    for (std::uint32_t high = 0; high < 256; ++high) {
      for (const std::uint32_t shift : {0u, 8u, 16u}) {
        for (const std::uint32_t rest : {0u, 0x7F7F7F7Fu, 0x80808080u, 0xFFFFFFFFu, 0x01010101u}) {
          const std::uint32_t codes = (rest & ~(0xFFFFu << shift)) | (high << 8 | low) << shift;
          const std::uint32_t got = convert::e4m3_to_e4m3fnuz(codes);
          for (std::uint32_t byte = 0; byte < 32; byte += 8) {
            ASSERT_EQ(got >> byte & 0xFF, rewritten(static_cast<std::uint8_t>(codes >> byte)))
                << std::hex << codes;
          }
        }
      }
    }
  }
}

TEST(rewrite, a_granule_of_the_cpu_is_a_granule_of_the_gpu) {
  for (std::uint32_t first = 0; first < 256; ++first) {
    std::uint8_t codes[16];
    for (std::uint32_t i = 0; i < 16; ++i) codes[i] = static_cast<std::uint8_t>(first + 37 * i);
    convert::Words words;
    convert::Vector vector;
    std::copy_n(codes, 16, reinterpret_cast<std::uint8_t*>(&words));
    std::copy_n(codes, 16, reinterpret_cast<std::uint8_t*>(&vector));
    convert::rewrite(words);
    convert::rewrite(vector);
    for (std::uint32_t i = 0; i < 16; ++i) {
      EXPECT_EQ(reinterpret_cast<const std::uint8_t*>(&words)[i], rewritten(codes[i]));
      EXPECT_EQ(reinterpret_cast<const std::uint8_t*>(&vector)[i], rewritten(codes[i]));
    }
  }
}

// ---- refusals that only these jobs have

TEST(orders, what_is_no_order_is_refused) {
  Case c;
  c.plane_blocks = c.standard_blocks = 2;
  c.block_ids = {1, 0};
  Memory memory(c, false, 1);
  const auto status = [&](auto bend) {
    pageproof_job job = memory.job();
    bend(job);
    return pageproof_convert(&job);
  };
  EXPECT_EQ(status([](pageproof_job& job) { job.order = 2; }), PAGEPROOF_UNKNOWN_ORDER);
  EXPECT_EQ(status([](pageproof_job& job) { job.direction = 2; }), PAGEPROOF_UNKNOWN_ORDER);
  EXPECT_EQ(status([](pageproof_job& job) { job.rewrite = 2; }), PAGEPROOF_UNKNOWN_ORDER);
  EXPECT_EQ(status([](pageproof_job& job) { job.rewrite = 1; }), PAGEPROOF_REWRITE_NEEDS_BYTES);
  EXPECT_EQ(status([](pageproof_job& job) { job.k_plane.layer_bases = nullptr; }), PAGEPROOF_NULL_POINTER);
  EXPECT_EQ(status([](pageproof_job& job) {
              job.k_plane.base = static_cast<char*>(job.k_plane.layer_bases[0]) + 8;
              job.k_plane.layer_bases = nullptr;
            }),
            PAGEPROOF_MISALIGNED);
  EXPECT_EQ(status([](pageproof_job& job) {
              job.k_plane.base = job.k_plane.layer_bases[0];
              job.k_plane.layer_bases = nullptr;
              job.k_plane.layer_stride = 8;
            }),
            PAGEPROOF_MISALIGNED);
  EXPECT_EQ(status([](pageproof_job& job) {
              job.layers = 3;
              job.k_plane.base = job.k_plane.layer_bases[0];
              job.k_plane.layer_bases = nullptr;
              job.k_plane.layer_stride = 1ull << 63;
            }),
            PAGEPROOF_STRIDE_TOO_SMALL);
  EXPECT_EQ(memory.planes(), memory.before());
}

// The pages are what is written now: they must be distinct and apart, the planes' blocks need not be.
TEST(orders, to_pages_the_pages_are_distinct_and_the_planes_need_not_be) {
  Case c;
  c.direction = PAGEPROOF_TO_PAGES;
  c.plane_blocks = c.standard_blocks = 3;
  c.block_ids = {1, 1};
  c.standard_block_ids = {2, 0};
  expect_converted(c, false, 1);
  Memory memory(c, false, 3);
  const std::int64_t twice[] = {2, 2};
  pageproof_job job = memory.job();
  job.standard_block_ids = twice;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_DUPLICATE_BLOCK_ID);
  job = memory.job();
  job.standard.layer_bases = nullptr;
  job.standard.base = job.k_plane.layer_bases[0];
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_OVERLAP);
  EXPECT_EQ(memory.planes(), memory.before());
}

TEST(orders, in_place_a_page_above_the_bound_is_refused_and_the_bound_itself_is_not) {
  Case c;
  c.shape = {8, 32, 256, 2};
  c.order = PAGEPROOF_TOKENS_FIRST;
  expect_converted(c, true, 1);
  c.shape.heads = 9;
  Memory memory(c, true, 1);
  const pageproof_job job = memory.job();
  EXPECT_EQ(pageproof_convert_in_place(&job), PAGEPROOF_PAGE_TOO_LARGE);
  EXPECT_EQ(memory.planes(), memory.before());
}

// ---- public reports

// P10 (vllm#39192), D=256 N=16 H=2: offsets of a dense plane on a view whose blocks lie further apart. To
// read a dense plane at every other block is a stride below S here, or ids that pairwise share bytes.
TEST(reports, P10_a_stride_below_a_block_is_refused_and_nothing_is_written) {
  Case c;
  c.shape = {2, 16, 256, 2};
  c.strides = Strides::two_slot;
  c.plane_blocks = c.standard_blocks = 3;
  c.block_ids = {2, 0, 1};
  Memory memory(c, false, 1);
  for (const std::uint64_t stride : {c.side_bytes() / 2, c.side_bytes() - 16}) {
    pageproof_job job = memory.job();
    job.k_plane.block_stride = stride;
    EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_STRIDE_TOO_SMALL);
    job.order = PAGEPROOF_TOKENS_FIRST;
    EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_STRIDE_TOO_SMALL);
  }
  // Dense offsets on both planes of the two-slot view: K's block 1 would be V's block 0.
  pageproof_job job = memory.job();
  job.k_plane.block_stride = job.v_plane.block_stride = c.side_bytes();
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_OVERLAP);
  EXPECT_EQ(memory.planes(), memory.before());
  // The true strides are what the job takes.
  job = memory.job();
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_OK);
  EXPECT_EQ(memory.wrong(), "");
}

// P11 (vllm#51722), H=2 D=128 N=16 bf16: K and V of one page as two views. Rows of K and V that alternate
// (token stride 2D, first view) are a standard page and no plane; K and V blocks that alternate (block stride
// 2S, second view) are two planes.
TEST(reports, P11_interleaved_rows_are_pages_and_interleaved_blocks_are_planes) {
  Case c;
  c.shape = {2, 16, 128, 2};
  c.plane_blocks = c.standard_blocks = 2;
  c.block_ids = {0, 1};
  Memory memory(c, false, 1);
  // First view: V's base is K's plus a row of D elements, both with a block stride of 2S. As planes they
  // overlap.
  pageproof_job job = memory.job();
  auto* page = static_cast<char*>(job.k_plane.layer_bases[0]);
  job.k_plane = {nullptr, 2 * c.side_bytes(), 1, page, 0};
  job.v_plane = {nullptr, 2 * c.side_bytes(), 1, page + 128 * 2, 0};
  job.id_count = 1;
  EXPECT_EQ(pageproof_convert(&job), PAGEPROOF_OVERLAP);
  EXPECT_EQ(memory.planes(), memory.before());
  // Second view.
  c.strides = Strides::two_slot;
  expect_converted(c, false, 1);
  expect_converted(c, true, 1);
}

}  // namespace
}  // namespace pageproof::tests
