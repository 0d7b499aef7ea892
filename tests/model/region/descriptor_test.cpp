// Descriptors and ids: the golden lists of the connector spec §4.4 and §4.6, and the laws behind them.
#include "model/region/descriptor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace pageproof::region {
namespace {

using testing::ElementsAre;

Region dense(std::uint64_t base, std::uint64_t len, std::uint64_t blocks, std::int64_t group = 0) {
  return {.base = base, .block_len = len, .block_stride = len, .num_blocks = blocks, .group = group};
}

std::vector<std::uint64_t> hybrid(std::vector<std::uint64_t> attention, std::vector<std::uint64_t> state,
                                  std::uint64_t num_blocks, std::uint64_t ratio, std::uint64_t per_logical) {
  return hybrid_descriptor_ids(attention, state,
                               {.regions = 2,
                                .num_blocks = num_blocks,
                                .ratio = ratio,
                                .blocks_per_logical_block = per_logical,
                                .state_regions = 4});
}

TEST(Descriptor, GoldenHybridIds) {
  EXPECT_THAT(hybrid({3, 5}, {1, 2}, 100, 1, 1),
              ElementsAre(3, 5, 103, 105, 201, 202, 301, 302, 401, 402, 501, 502));
  EXPECT_THAT(hybrid({3, 7}, {1, 2}, 400, 1, 4),
              ElementsAre(3, 7, 403, 407, 801, 802, 901, 902, 1001, 1002, 1101, 1102));
  EXPECT_THAT(hybrid({3, 5}, {1}, 100, 4, 1), ElementsAre(3, 5, 403, 405, 801, 901, 1001, 1101));
}

TEST(Descriptor, GoldenLocalDescriptorsFollowEachRegionsBlocks) {
  const std::vector<Region> regions = {dense(100, 16, 2), dense(1000, 16, 3)};
  std::vector<std::uint64_t> addresses;
  const auto list = local_descriptors(regions, 1, 0, "e");
  for (const Descriptor& descriptor : *list) addresses.push_back(descriptor.address);
  EXPECT_THAT(addresses, ElementsAre(100, 116, 1000, 1016, 1032));
}

// L = 2, 2 heads, 16 tokens, D = 8, bf16: pages of 1024 bytes, halves of 512.
const std::vector<Region> kPrefill = {dense(0x100000, 1024, 4), dense(0x101000, 1024, 4)};
const std::vector<Region> kDecode = {dense(0x900000, 512, 6), dense(0x900c00, 512, 6),
                                     dense(0x901800, 512, 6), dense(0x902400, 512, 6)};

TEST(Descriptor, GoldenSplitRead) {
  const std::vector<Region> halves = virtual_halves(kPrefill);
  std::vector<std::vector<std::uint64_t>> geometry;
  for (const Region& half : halves) geometry.push_back({half.base, half.block_len, half.block_stride});
  EXPECT_THAT(geometry, ElementsAre(ElementsAre(0x100000, 512, 1024), ElementsAre(0x100200, 512, 1024),
                                    ElementsAre(0x101000, 512, 1024), ElementsAre(0x101200, 512, 1024)));

  const auto local_ids = descriptor_ids({{5, 1}}, id_space_of(kDecode));
  const auto remote_ids = descriptor_ids({{0, 3}}, id_space_of(halves));
  EXPECT_THAT(local_ids, ElementsAre(5, 1, 11, 7, 17, 13, 23, 19));
  EXPECT_THAT(remote_ids, ElementsAre(0, 3, 4, 7, 8, 11, 12, 15));

  const auto local = *local_descriptors(kDecode, 1, 0, "d");
  const auto remote = *remote_descriptors(kDecode, halves, {}, 0, "p");
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> golden = {
      {0x900a00, 0x100000}, {0x900200, 0x100c00}, {0x901600, 0x100200}, {0x900e00, 0x100e00}};
  for (std::size_t i = 0; i < golden.size(); ++i) {
    EXPECT_EQ(local[local_ids[i]].address, golden[i].first) << i;
    EXPECT_EQ(remote[remote_ids[i]].address, golden[i].second) << i;
  }
  EXPECT_EQ(local[local_ids.back()].address, 0x902600u);
  EXPECT_EQ(remote[remote_ids.back()].address, 0x101e00u);
  for (std::size_t i = 0; i < local_ids.size(); ++i) {
    EXPECT_EQ(local[local_ids[i]].bytes, 512u);
    EXPECT_EQ(remote[remote_ids[i]].bytes, 512u);
  }
}

// Upstream: base 0x1000, remote length 2048, local 1024, offset factor 1.
TEST(Descriptor, GoldenHeadSlice) {
  const std::vector<Region> local = {dense(0, 1024, 1)};
  const std::vector<Region> remote = {dense(0x1000, 2048, 1)};
  const auto list = *remote_descriptors(local, remote, {.rank_offset_factor = 1}, 0, "p");
  EXPECT_THAT(list, ElementsAre(Descriptor{0x1400, 1024, 0}));
}

// T14: the length is the local one, whatever the remote announces.
TEST(Descriptor, TheLengthIsLocal) {
  const Region local = dense(0, 64, 4);
  const Region remote{.base = 1000, .block_len = 999, .block_stride = 200, .num_blocks = 4};
  EXPECT_EQ(remote_descriptor(local, remote, 3, {}, 7), (Descriptor{1600, 64, 7}));
  EXPECT_EQ(remote_descriptor(local, remote, 3, {.rank_offset_factor = 2, .replicated = true}, 7),
            (Descriptor{1600, 64, 7}));
  EXPECT_EQ(remote_descriptor(local, remote, 3, {.sources = 4}, 7), (Descriptor{1600, 16, 7}));
}

// T15: with regions of several groups the order is by group, then region.
TEST(Descriptor, GroupMappingChangesTheOrder) {
  const std::vector<Region> mapped = {dense(0, 8, 10, 0), dense(0, 8, 10, 1), dense(0, 8, 10, kShared)};
  EXPECT_TRUE(uses_group_mapping(id_space_of(mapped)));
  EXPECT_THAT(descriptor_ids({{1}, {2}}, id_space_of(mapped)), ElementsAre(1, 21, 12, 22));
  const std::vector<Region> flat = {dense(0, 8, 10), dense(0, 8, 10), dense(0, 8, 10)};
  EXPECT_FALSE(uses_group_mapping(id_space_of(flat)));
  EXPECT_THAT(descriptor_ids({{1}, {2}}, id_space_of(flat)), ElementsAre(1, 2, 11, 12, 21, 22));
}

// T19: sub-blocks lie back to back inside each region.
TEST(Descriptor, SubBlocks) {
  const std::vector<Region> regions = {dense(0, 64, 2), dense(1000, 64, 2)};
  const IdSpace space = id_space_of(regions, 4);
  const auto list = *local_descriptors(regions, 4, 0, "e");
  for (std::uint64_t id = 0; id < list.size(); ++id) {
    const IdPlace at = place_of(id, space);
    EXPECT_EQ(list[id], local_descriptor(regions[at.region], at.block, at.sub_block, 4, 0)) << id;
  }
  EXPECT_EQ(list[5], (Descriptor{80, 16, 0}));
  EXPECT_THAT(sub_block_ids(std::vector<std::uint64_t>{3, 1}, 4, 6), ElementsAre(12, 13, 14, 15, 4, 5));
  EXPECT_THAT(sub_block_ids(std::vector<std::uint64_t>{3, 1}, 1, 9), ElementsAre(3, 1));
}

// T18: request ids are logical, descriptors are in kernel blocks.
TEST(Descriptor, LogicalBlocks) {
  EXPECT_THAT(kernel_block_ids(std::vector<std::uint64_t>{2, 0}, 3), ElementsAre(6, 7, 8, 0, 1, 2));
}

TEST(Descriptor, SharesOfSourcesTileTheLocalBlock) {
  const Descriptor local{4096, 512, 1};
  std::set<std::uint64_t> starts;
  for (std::uint64_t slot = 0; slot < 4; ++slot) {
    const Descriptor share = share_of(local, slot, {.sources = 4});
    EXPECT_EQ(share.bytes, 128u);
    starts.insert(share.address);
  }
  EXPECT_THAT(starts, ElementsAre(4096, 4224, 4352, 4480));
  EXPECT_EQ(share_of(local, 3, {.sources = 4, .replicated = true}), local);
}

TEST(Descriptor, NoListLargerThanItsBound) {
  const std::vector<Region> huge = {dense(0, 16, UINT64_MAX)};
  EXPECT_FALSE(local_descriptors(huge, 1, 0, "e").has_value());
  EXPECT_FALSE(local_descriptors(huge, UINT64_MAX, 0, "e").has_value());
  EXPECT_FALSE(remote_descriptors(huge, huge, {}, 0, "e").has_value());
  EXPECT_FALSE(remote_descriptors(kDecode, kPrefill, {}, 0, "e").has_value());
}

}  // namespace
}  // namespace pageproof::region
