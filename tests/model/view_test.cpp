// Views that a shuffle writer is given, as reported: P10, P11, P15.
#include "model/page/view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace pageproof::page {
namespace {

using testing::HasSubstr;

// Written out: a writer with dense offsets over `blocks` blocks of the view; the first store outside its own
// block.
std::optional<std::pair<std::uint64_t, std::uint64_t>> first_stray_store(const Shape& s, std::uint64_t stride,
                                                                         std::uint64_t blocks) {
  const std::uint64_t dense = s.heads * s.tokens * s.head_dim;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (std::uint64_t element = 0; element < dense; ++element) {
      const std::uint64_t stored = block * dense + element;
      if (stored < block * stride || stored >= block * stride + dense) {
        return std::pair{block, stored * s.element_bytes};
      }
    }
  }
  return {};
}

// P10: D=256 N=16 H=2, K and V of a block side by side.
TEST(View, P10_dense_offsets_leave_the_first_block_with_the_first_byte_of_the_second) {
  const Shape shape{2, 16, 256, 2};
  const ViewStrides strides{2 * 8192, 2 * 256, 256, 1};
  const auto verdict = judge_view(shape, strides);
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->is_plane());
  EXPECT_FALSE(verdict->is_dense_plane());
  ASSERT_TRUE(verdict->stray);
  EXPECT_EQ(verdict->stray->block, 1u);
  EXPECT_EQ(verdict->stray->byte, 16384u);
  EXPECT_EQ(verdict->stray->falls_in, 0u);
  EXPECT_EQ(verdict->stray->right_byte, 32768u);
  EXPECT_EQ(first_stray_store(shape, strides.block, 4),
            std::pair(verdict->stray->block, verdict->stray->byte));
  EXPECT_THAT(
      to_string(*verdict, shape, strides),
      HasSubstr(
          "a writer with dense offsets stores block 1 from byte 16384, which is in block 0; it belongs at "
          "byte 32768"));
}

TEST(View, P10_every_other_stride_strays_where_the_stores_say) {
  for (const Shape& shape : {Shape{1, 16, 64, 1}, Shape{3, 16, 64, 2}}) {
    const std::uint64_t dense = shape.heads * shape.tokens * shape.head_dim;
    for (const std::uint64_t stride : {dense, dense + 8, 2 * dense, 3 * dense}) {
      const auto verdict = judge_view(shape, {stride, shape.heads * shape.head_dim, shape.head_dim, 1});
      ASSERT_TRUE(verdict);
      const auto stores = first_stray_store(shape, stride, 3);
      ASSERT_EQ(verdict->stray.has_value(), stores.has_value());
      if (stores) {
        EXPECT_EQ(*stores, std::pair(verdict->stray->block, verdict->stray->byte));
      }
    }
  }
}

// P11: H=2 D=128 N=16, the two ways to split a page of K and V.
TEST(View, P11_rows_of_K_and_V_in_turn_are_no_plane) {
  const Shape shape{2, 16, 128, 2};
  const ViewStrides rows{8192, 256, 4096, 1};
  const auto verdict = judge_view(shape, rows);
  ASSERT_TRUE(verdict);
  EXPECT_FALSE(verdict->is_plane());
  EXPECT_EQ(verdict->not_dense->head, 1u);
  EXPECT_EQ(verdict->not_dense->token, 0u);
  EXPECT_EQ(verdict->not_dense->byte, 8192u);
  EXPECT_EQ(verdict->not_dense->dense_byte, 256u);
  EXPECT_THAT(to_string(*verdict, shape, rows), HasSubstr("Takes     no writer of shuffled planes"));
}

TEST(View, P11_blocks_of_K_and_V_in_turn_are_a_plane_with_a_stride) {
  const Shape shape{2, 16, 128, 2};
  const ViewStrides blocks{8192, 256, 128, 1};
  const auto verdict = judge_view(shape, blocks);
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->is_plane());
  EXPECT_FALSE(verdict->is_dense_plane());
  EXPECT_THAT(to_string(*verdict, shape, blocks),
              HasSubstr("Takes     writers and readers that are told the block stride"));
  const auto dense = judge_view(shape, {4096, 256, 128, 1});
  EXPECT_TRUE(dense->is_dense_plane());
}

// P15: 1,002,560 elements a block, 32-bit offsets.
TEST(View, P15_the_first_block_id_that_wraps_is_named) {
  const Shape shape{1, 16, 64, 2};
  const ViewStrides strides{1'002'560, 64, 64, 1};
  const auto verdict = judge_view(shape, strides);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->first_signed_wrap, 2142u);
  EXPECT_EQ(verdict->first_unsigned_wrap, 4284u);
  EXPECT_THAT(to_string(*verdict, shape, strides), HasSubstr("wrap from block 2142 on (signed)"));
  // The last element of the block that is named, and of the one before it, in words of 32 bits.
  EXPECT_LT(static_cast<std::int32_t>(static_cast<std::uint32_t>(2142u * 1'002'560u + 1'002'559u)), 0);
  EXPECT_GE(static_cast<std::int32_t>(static_cast<std::uint32_t>(2141u * 1'002'560u + 1'002'559u)), 0);
}

TEST(View, strides_that_no_view_has_are_refused) {
  EXPECT_FALSE(judge_view({1, 16, 64, 2}, {0, 64, 64, 1}));
  EXPECT_FALSE(judge_view({1, 16, 64, 2}, {1024, 64, 64, std::uint64_t{1} << 48}));
}

}  // namespace
}  // namespace pageproof::page
