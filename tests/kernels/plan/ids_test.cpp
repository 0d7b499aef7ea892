#include "kernels/plan/ids.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "kernels/plan/shifted_copy.hpp"
#include "tests/kernels/plan/sides.hpp"

namespace pageproof::plan {
namespace {

using testing::ElementsAre;

BlockIds ids_of(const Side& side, std::uint64_t ratio, const BlockGroups& blocks) {
  std::vector<Series> series;
  for (const Region& r : side.regions)
    series.push_back({r.base, r.block_stride, r.block_len / ratio, r.num_blocks, ratio});
  const DescriptorTable table(series, side.device);
  const IdOrder order = id_order(side.regions, table);
  BlockIds ids(id_count(order, blocks));
  const auto ok = fill_ids(order, blocks, "blocks", ids);
  EXPECT_TRUE(ok.has_value()) << to_string(ok.error());
  return ids;
}

// Spec §4.4, the attention part of the upstream tests' lists.
TEST(Ids, GoldenListsOfTheConnectorsTests) {
  EXPECT_THAT(ids_of(dense(0, 2, 100, 100), 1, {{3, 5}}), ElementsAre(3, 5, 103, 105));
  EXPECT_THAT(ids_of(dense(0, 2, 100, 400), 1, {{3, 7}}), ElementsAre(3, 7, 403, 407));
  EXPECT_THAT(ids_of(dense(0, 2, 100, 100), 4, {{3, 5}}), ElementsAre(3, 5, 403, 405));
}

TEST(Ids, LocalDescriptorsFollowEachRegionsPool) {
  Side side = dense(100, 1, 16, 2);
  side.regions.push_back({.base = 1000, .block_len = 16, .block_stride = 16, .num_blocks = 3});
  const auto pair = prepare(side, side, Split::none, {});
  ASSERT_TRUE(pair.has_value());
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t id = 0; id < pair->local.rows(); ++id) addresses.push_back(pair->local.row(id).address);
  EXPECT_THAT(addresses, ElementsAre(100, 116, 1000, 1016, 1032));
}

// Trap T15: with regions of several groups the order is group-major.
TEST(Ids, GroupsOrderByGroupAndSharedRegionsServeAll) {
  Side side = dense(0, 3, 16, 10);
  EXPECT_THAT(ids_of(side, 1, {{1, 2}, {5}}), ElementsAre(1, 2, 5, 11, 12, 15, 21, 22, 25));
  side.regions[1].group = 1;
  side.regions[2].group = kShared;
  EXPECT_THAT(ids_of(side, 1, {{1, 2}, {5}}), ElementsAre(1, 2, 21, 22, 15, 25));
}

TEST(Ids, RefusesABlockThatARegionOfItsGroupLacks) {
  Side side = dense(0, 2, 16, 10);
  side.regions[1].num_blocks = 5;
  side.regions[1].group = 1;
  const auto pair = prepare(side, side, Split::none, {});
  ASSERT_TRUE(pair.has_value());
  std::vector<std::uint64_t> out(2);
  EXPECT_TRUE(fill_ids(pair->local_order, {{9}, {4}}, "local", out).has_value());
  const auto refused = fill_ids(pair->local_order, {{4}, {9}}, "local", out);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(to_string(refused.error()), "local: blocks of group 1: 9: region 1 has 5 of them");
}

// Long lists are filled in pieces: of every length around a piece, in one group or three, the ids are the
// formula's.
TEST(Ids, LongListsAreTheFormulasToo) {
  for (const std::uint64_t count : {1u, 3u, 2047u, 2048u, 2049u, 4096u, 5001u}) {
    Side side = dense(0, 3, 16, 3 * count);
    BlockGroups groups(3);
    for (std::uint64_t i = 0; i < 3 * count; ++i) groups[i % 7 % 3].push_back(i * 5 % (3 * count));
    for (const bool by_group : {false, true}) {
      if (by_group) side.regions[1].group = 1;
      const auto pair = prepare(side, side, Split::none, {});
      ASSERT_TRUE(pair.has_value());
      BlockIds expected;
      if (by_group) {
        for (const std::int64_t group : {0, 1, 2}) {
          for (std::uint64_t region = 0; region < 3; ++region) {
            if (side.regions[region].group != group) continue;
            for (const std::uint64_t block : groups[static_cast<std::size_t>(group)])
              expected.push_back(region * 3 * count + block);
          }
        }
      } else {
        for (std::uint64_t region = 0; region < 3; ++region) {
          for (const BlockIds& group : groups) {
            for (const std::uint64_t block : group) expected.push_back(region * 3 * count + block);
          }
        }
      }
      BlockIds ids(id_count(pair->local_order, groups));
      ASSERT_TRUE(fill_ids(pair->local_order, groups, "local", ids).has_value());
      EXPECT_EQ(ids, expected) << count << " by group " << by_group;
      std::vector<std::int32_t> for_nixl(ids.size());
      ASSERT_TRUE(fill_ids(pair->local_order, groups, "local", for_nixl).has_value());
      EXPECT_TRUE(std::ranges::equal(for_nixl, expected)) << count << " by group " << by_group;
    }
  }
}

TEST(Ids, AnIdThatNixlCannotTakeIsRefused) {
  const std::uint64_t blocks = std::uint64_t{1} << 30;
  const Side side = dense(0, 3, 16, blocks);
  const auto pair = prepare(side, side, Split::none, {});
  ASSERT_TRUE(pair.has_value());
  std::vector<std::int32_t> out(3);
  const auto refused = fill_ids(pair->local_order, {{0}}, "local", out);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(to_string(refused.error()),
            "local: blocks of group 0: 0: its id in region 2 is above 2147483647");
  const auto two = prepare(dense(0, 2, 16, blocks), dense(0, 2, 16, blocks), Split::none, {});
  out.resize(2);
  ASSERT_TRUE(fill_ids(two->local_order, {{blocks - 1}}, "local", out).has_value());
  EXPECT_EQ(out[1], INT32_MAX);
}

template <class Id>
void expect_shifted(Stores stores) {
  for (std::size_t begin = 0; begin < 17; ++begin) {
    for (std::size_t count = 0; count < 90; ++count) {
      std::vector<Id> from(begin + count), out(begin + count + 20, Id{7});
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<Id>(i * i);
      const std::span<const Id> part = std::span<const Id>(from).last(count);
      shifted_copy(part, Id{1000}, out.data() + begin, stores);
      finish(stores);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool inside = i >= begin && i < begin + count;
        ASSERT_EQ(out[i], inside ? part[i - begin] + 1000 : 7) << begin << "+" << count << " at " << i;
      }
    }
  }
}

TEST(Ids, AShiftedCopyWritesItsValuesAndNothingElseWhereverItBegins) {
  for (const Stores stores : kAllStores) {
    expect_shifted<std::uint64_t>(stores);
    expect_shifted<std::int32_t>(stores);
  }
}

// So many that each way of writing them is taken, and no whole number of tiles.
template <class Id>
void expect_ids_of_many_blocks(std::uint64_t blocks) {
  const std::uint64_t regions = 3;
  const Side side = dense(0, regions, 16, blocks);
  const auto pair = prepare(side, side, Split::none, {});
  ASSERT_TRUE(pair.has_value());
  BlockGroups groups{BlockIds(blocks)};
  for (std::uint64_t i = 0; i < blocks; ++i) groups.front()[i] = (i * 5) % blocks;
  std::vector<Id> ids(regions * blocks + 1);
  const std::span<Id> out = std::span(ids).subspan(1);
  ASSERT_TRUE(fill_ids(pair->local_order, groups, "local", out).has_value());
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < out.size(); ++i)
    wrong += out[i] != static_cast<Id>(i / blocks * blocks + groups.front()[i % blocks]) ? 1 : 0;
  EXPECT_EQ(wrong, 0u);
}

TEST(Ids, OfAMillionBlocks) {
  for (const std::uint64_t blocks : {399'999, 1'000'001, 1'500'001}) {
    expect_ids_of_many_blocks<std::uint64_t>(blocks);
    expect_ids_of_many_blocks<std::int32_t>(blocks);
  }
}

TEST(Prepare, RefusesWhatIsNoPair) {
  const Side side = dense(0, 2, 64, 4);
  const auto problem = [&](const Side& local, const Side& remote, const Slice& slice = {},
                           Split split = Split::none) {
    const auto pair = prepare(local, remote, split, slice);
    return pair ? "prepared" : to_string(pair.error());
  };
  const auto changed = [&](auto Region::* field, auto value) {
    Side other = side;
    other.regions[1].*field = value;
    return other;
  };
  EXPECT_EQ(problem(side, side), "prepared");
  EXPECT_EQ(problem(side, {}), "remote: regions: []: no region to plan for");
  EXPECT_EQ(problem(side, changed(&Region::memory, Memory::dram)),
            "remote: regions[1].memory: DRAM: regions of one list lie in one memory");
  EXPECT_EQ(problem(changed(&Region::block_len, std::uint64_t{0}), side),
            "local: regions[1].block_len: 0: not positive");
  EXPECT_EQ(problem(side, changed(&Region::num_blocks, std::uint64_t{0})),
            "remote: regions[1].num_blocks: 0: not positive");
  EXPECT_EQ(problem(side, changed(&Region::group, std::int64_t{1})),
            "remote: regions[1].group: 1: the local region serves group 0");
  EXPECT_EQ(problem(side, side, {.ratio = 3}),
            "local: regions[0].block_len: 64: not a multiple of the ratio 3");
  EXPECT_EQ(problem(side, side, {.sources = 2}),
            "remote: regions[0].block_len: 64: the local side expects 32");
  EXPECT_EQ(problem(side, side, {.shares = 2}),
            "remote: regions[0].block_len: 64: the local side expects 128");
  EXPECT_EQ(problem(side, side, {.sources = 2, .slot = 2}), "slice: slot: 2: not one of 2 sources");
  EXPECT_EQ(problem(side, side, {.rank_offset_factor = 1}),
            "slice: rank_offset_factor: 1: not one of 1 shares");
  EXPECT_EQ(problem(side, side, {.ratio = 2, .sources = 2}),
            "slice: ratio: 2: blocks of unequal size are read from one source rank only");
  EXPECT_EQ(problem(side, side, {.ratio = 2}, Split::slots),
            "slice: ratio: 2: two-slot pages of unequal block sizes are no parts of each other");
}

TEST(Prepare, ARequestTooLargeIsRefusedBeforeItIsBuilt) {
  BlockIds blocks(std::size_t{1} << 20);
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = i;
  const Side side = dense(0, 9, 16, blocks.size());
  const auto made = plan(request_of(side, side, blocks, blocks, Pages::same), Strategy::whole, {}, {});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(to_string(made.error()),
            "request: blocks: 1048576: of 18 rows each: more than 16777216 descriptors");
}

TEST(Ids, HighIdsAndBasesNearTheEndDoNotWrap) {
  const std::uint64_t blocks = (std::uint64_t{1} << 31) + 1;
  const Side side = dense((std::uint64_t{1} << 63) - 16, 1, 4096, blocks);
  const auto pair = prepare(side, side, Split::none, {});
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->local.row(std::uint64_t{1} << 31).address,
            (std::uint64_t{1} << 63) - 16 + (std::uint64_t{1} << 43));
  const Side wraps = dense(UINT64_MAX - 4096, 1, 4096, 2);
  EXPECT_EQ(to_string(prepare(wraps, side, Split::none, {}).error()),
            "local: regions[0].num_blocks: 2: the region's end wraps 2^64");
}

}  // namespace
}  // namespace pageproof::plan
