// Which ranks are read, and from where: connector spec §2.5.
#include "model/region/tp_mapping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pageproof::region {
namespace {

using testing::ElementsAre;

TEST(TpMapping, Ratio) {
  EXPECT_EQ(tp_ratio(4, 2), 2);
  EXPECT_EQ(tp_ratio(2, 2), 1);
  EXPECT_EQ(tp_ratio(2, 8), -4);
  EXPECT_EQ(tp_ratio(3, 2), std::nullopt);
  EXPECT_EQ(tp_ratio(0, 2), std::nullopt);
  EXPECT_EQ(tp_ratio(1, UINT64_MAX), std::nullopt);
}

TEST(TpMapping, MoreDecodeRanks) {
  const TpMapping rank1 = tp_mapping({.local_rank = 1, .local_size = 4, .remote_size = 2, .kv_heads = 8});
  EXPECT_THAT(rank1.sources, ElementsAre(0));
  EXPECT_EQ(rank1.rank_offset_factor, 1u);
  EXPECT_EQ(rank1.consumers, 2u);
  const TpMapping rank2 = tp_mapping({.local_rank = 2, .local_size = 4, .remote_size = 2, .kv_heads = 8});
  EXPECT_THAT(rank2.sources, ElementsAre(1));
  EXPECT_THAT(rank2.handshakes, ElementsAre(1));
  EXPECT_EQ(rank2.rank_offset_factor, 0u);
}

TEST(TpMapping, MorePrefillRanks) {
  const TpMapping mapping = tp_mapping({.local_rank = 1, .local_size = 2, .remote_size = 8, .kv_heads = 8});
  EXPECT_THAT(mapping.sources, ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(mapping.rank_offset_factor, 0u);
  EXPECT_EQ(mapping.consumers, 1u);
}

TEST(TpMapping, RanksThatHoldTheSameHeadAreReadOnce) {
  const TpMapping mapping = tp_mapping({.local_rank = 0, .local_size = 2, .remote_size = 8, .kv_heads = 4});
  EXPECT_THAT(mapping.handshakes, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(mapping.sources, ElementsAre(0, 2));
}

// 8 heads on 16 decode ranks and 8 prefill ranks: each pair of decode ranks reads the one head of its prefill
// rank.
TEST(TpMapping, ReplicatedHeads) {
  for (std::uint64_t rank = 0; rank < 16; ++rank) {
    const TpMapping mapping =
        tp_mapping({.local_rank = rank, .local_size = 16, .remote_size = 8, .kv_heads = 8});
    EXPECT_THAT(mapping.sources, ElementsAre(rank / 2));
    EXPECT_EQ(mapping.rank_offset_factor, 0u);
  }
  // On 4 prefill ranks of two heads each, four decode ranks share a prefill rank and two share a head.
  const auto factor = [](std::uint64_t rank) {
    return tp_mapping({.local_rank = rank, .local_size = 16, .remote_size = 4, .kv_heads = 8})
        .rank_offset_factor;
  };
  EXPECT_EQ(factor(0), 0u);
  EXPECT_EQ(factor(1), 0u);
  EXPECT_EQ(factor(2), 1u);
  EXPECT_EQ(factor(3), 1u);
  EXPECT_EQ(factor(4), 0u);
}

TEST(TpMapping, LatentReadsOneRankWhole) {
  const TpMapping mapping =
      tp_mapping({.local_rank = 3, .local_size = 4, .remote_size = 8, .kv_heads = 1, .latent = true});
  EXPECT_THAT(mapping.sources, ElementsAre(6));
  EXPECT_THAT(mapping.handshakes, ElementsAre(6, 7));
  EXPECT_EQ(mapping.rank_offset_factor, 0u);
  EXPECT_TRUE(replicates_kv_cache({.latent = true}));
  EXPECT_TRUE(replicates_kv_cache({.remote_size = 16, .kv_heads = 8}));
  EXPECT_FALSE(replicates_kv_cache({.remote_size = 8, .kv_heads = 8}));
}

}  // namespace
}  // namespace pageproof::region
