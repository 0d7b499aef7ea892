#include "kernels/plan/blocks.hpp"

#include <gtest/gtest.h>

namespace pageproof::plan {
namespace {

TEST(PairBlocks, PrefixHitKeepsTheLastRemoteBlocks) {
  const auto paired = pair_blocks({{7, 3}}, {{10, 11, 12, 13}}, {});
  ASSERT_TRUE(paired.has_value());
  EXPECT_EQ(paired->local, (BlockGroups{{7, 3}}));
  EXPECT_EQ(paired->remote, (BlockGroups{{12, 13}}));
}

TEST(PairBlocks, ExpandsEachSideByItsOwnKernelBlocks) {
  const auto paired = pair_blocks({{2}}, {{5, 1}}, {.local_per_logical = 4, .remote_per_logical = 2});
  ASSERT_TRUE(paired.has_value());
  EXPECT_EQ(paired->local, (BlockGroups{{8, 9, 10, 11}}));
  EXPECT_EQ(paired->remote, (BlockGroups{{10, 11, 2, 3}}));
}

// Spec §4.5: b -> b·r + 0..r−1, clipped to the remote's number of blocks.
TEST(PairBlocks, RatioClipsTheTailOfTheLastBlock) {
  const auto paired = pair_blocks({{2, 3}}, {{4, 0, 9, 1, 5, 6}}, {.ratio = 4});
  ASSERT_TRUE(paired.has_value());
  EXPECT_EQ(paired->local, (BlockGroups{{8, 9, 10, 11, 12, 13}}));
  EXPECT_EQ(paired->remote, (BlockGroups{{4, 0, 9, 1, 5, 6}}));
}

TEST(PairBlocks, FullPrefixHitIsEmpty) {
  const auto paired = pair_blocks({{}}, {{1, 2}}, {});
  ASSERT_TRUE(paired.has_value());
  EXPECT_TRUE(paired->empty());
  EXPECT_EQ(paired->remote, BlockGroups(1));
}

TEST(PairBlocks, RefusesWhatCannotBePaired) {
  const auto problem = [](const BlockGroups& local, const BlockGroups& remote, const BlockUnits& units) {
    const auto paired = pair_blocks(local, remote, units);
    return paired ? "" : to_string(paired.error());
  };
  EXPECT_EQ(problem({{1, 2}}, {{1}}, {}), "remote blocks of group 0: 1: fewer than the 2 local blocks");
  EXPECT_EQ(problem({{1, 1}}, {{1, 2}}, {}),
            "local blocks of group 0: 1: stands twice: a block is read or filled once");
  EXPECT_EQ(problem({{1}, {2}}, {{1}}, {}), "remote blocks: groups: 1: the local side has 2 groups");
  EXPECT_EQ(problem({{1}}, {{1}}, {.ratio = 0}), "units: ratio: 0: not 1 to 16777216");
  EXPECT_EQ(problem({{std::uint64_t{1} << 63}}, {{1}}, {.local_per_logical = 2}),
            "local blocks of group 0: 9223372036854775808: no block id: its kernel blocks wrap 2^64");
}

}  // namespace
}  // namespace pageproof::plan
