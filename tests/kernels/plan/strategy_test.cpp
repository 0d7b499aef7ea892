#include "kernels/plan/strategy.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/kernels/plan/sides.hpp"

namespace pageproof::plan {
namespace {

using testing::ElementsAre;

// Spec §4.6: D blocks [5, 1] take P blocks [0, 3].
TEST(Strategy, HalvesOfTheWorkedExample) {
  const Request request = request_of(worked_planes(), worked_pages(), {5, 1}, {0, 3}, Pages::for_planes);
  const Plan made = planned(request, Strategy::halves);
  ASSERT_EQ(made.reads.size(), 1u);
  EXPECT_THAT(made.reads[0].local_ids, ElementsAre(5, 1, 11, 7, 17, 13, 23, 19));
  EXPECT_THAT(made.reads[0].remote_ids, ElementsAre(0, 3, 4, 7, 8, 11, 12, 15));
  const Rows rows = rows_of(made.reads[0]);
  EXPECT_THAT(rows.local, ElementsAre(Descriptor{0x900a00, 512, 0}, Descriptor{0x900200, 512, 0},
                                      Descriptor{0x901600, 512, 0}, Descriptor{0x900e00, 512, 0},
                                      Descriptor{0x902200, 512, 0}, Descriptor{0x901a00, 512, 0},
                                      Descriptor{0x902e00, 512, 0}, Descriptor{0x902600, 512, 0}));
  EXPECT_THAT(rows.remote, ElementsAre(Descriptor{0x100000, 512, 0}, Descriptor{0x100c00, 512, 0},
                                       Descriptor{0x100200, 512, 0}, Descriptor{0x100e00, 512, 0},
                                       Descriptor{0x101000, 512, 0}, Descriptor{0x101c00, 512, 0},
                                       Descriptor{0x101200, 512, 0}, Descriptor{0x101e00, 512, 0}));
}

// Qwen3-8B, 4k tokens, bf16, 16-token blocks: 36 layers, pages of 64 KiB, 256 blocks in one run.
TEST(Strategy, CountsOfQwen3AtFourThousandTokens) {
  const Side local = dense(std::uint64_t{1} << 40, 72, 32768, 1024);
  const Side remote = dense(std::uint64_t{1} << 42, 36, 65536, 2000);
  BlockIds ids(256);
  std::iota(ids.begin(), ids.end(), std::uint64_t{100});
  const Request request = request_of(local, remote, ids, ids, Pages::for_planes);
  const Plan halves = planned(request, Strategy::halves);
  EXPECT_EQ(halves.cost.planned, 18432u);
  EXPECT_EQ(halves.cost.posted, 18432u);
  EXPECT_EQ(halves.cost.bytes, 603979776u);
  EXPECT_EQ(halves.cost.conversion_bytes, 2u * 603979776);
  const Staging staging{std::uint64_t{1} << 50, 603979776};
  const Plan staged = planned(request, Strategy::staged, staging);
  EXPECT_EQ(staged.cost.planned, 9216u);
  EXPECT_EQ(staged.cost.posted, 36u);
  EXPECT_EQ(staged.cost.staging_bytes, 603979776u);
  const Plan runs = planned(request, Strategy::run_halves);
  EXPECT_EQ(runs.cost.planned, 72u);
  EXPECT_EQ(runs.cost.posted, 72u);

  const Choice without = choose(request, std::nullopt, {});
  ASSERT_TRUE(without.chosen.has_value());
  EXPECT_EQ(without.options[*without.chosen].strategy, Strategy::halves);
  const Choice with = choose(request, staging, {});
  ASSERT_TRUE(with.chosen.has_value());
  EXPECT_EQ(with.options[*with.chosen].strategy, Strategy::staged);
}

TEST(Strategy, StagedPagesLieOneBehindTheOther) {
  const Request request = request_of(worked_planes(), worked_pages(), {5, 1}, {0, 3}, Pages::for_planes);
  const Rows rows = rows_of(planned(request, Strategy::staged, {0x800000, 4096}).reads[0]);
  EXPECT_THAT(rows.local, ElementsAre(Descriptor{0x800000, 1024, 0}, Descriptor{0x800400, 1024, 0},
                                      Descriptor{0x800800, 1024, 0}, Descriptor{0x800c00, 1024, 0}));
  EXPECT_EQ(to_string(plan(request, Strategy::staged, {0x800000, 4095}, {}).error()),
            "staging: bytes: 4095: holds fewer than 2 blocks of 2 regions");
  EXPECT_EQ(to_string(plan(request, Strategy::staged, {0x8ffff8, 4096}, {}).error()),
            "staging: base: 0x8ffff8: overlaps the registered 0x900000, 12288 B");
}

TEST(Strategy, RunHalvesTakeTheRunsBytesInOrder) {
  const Request request =
      request_of(worked_planes(), worked_pages(), {2, 3, 0}, {1, 2, 3}, Pages::for_planes);
  const Rows rows = rows_of(planned(request, Strategy::run_halves).reads[0]);
  ASSERT_EQ(rows.local.size(), 8u);
  EXPECT_EQ(rows.local[0], (Descriptor{0x900400, 1024, 0}));
  EXPECT_EQ(rows.remote[0], (Descriptor{0x100400, 1024, 0}));
  EXPECT_EQ(rows.local[1], (Descriptor{0x901000, 1024, 0}));
  EXPECT_EQ(rows.remote[1], (Descriptor{0x100800, 1024, 0}));
  Request gaps = request;
  gaps.local.regions[1].block_stride = 640;
  EXPECT_EQ(
      to_string(plan(gaps, Strategy::run_halves, {}, {}).error()),
      "local: regions[1].block_stride: 640: not block_len 512: a run of blocks is not one range of bytes");
}

TEST(Strategy, AnEmptyReadPostsNothing) {
  const Request request = request_of(worked_planes(), worked_pages(), {}, {}, Pages::for_planes);
  for (const Strategy strategy : {Strategy::halves, Strategy::staged, Strategy::run_halves}) {
    const Plan made = planned(request, strategy, {0x800000, 4096});
    EXPECT_EQ(made.cost.posted, 0u);
    EXPECT_EQ(made.cost.seconds(), 0);
  }
}

TEST(Strategy, ConversionNeedsEqualRanksAndOneGroup) {
  Request request = request_of(worked_planes(), worked_pages(), {1}, {1}, Pages::for_planes);
  request.blocks = {{{1}, {2}}, {{1}, {2}}};
  EXPECT_EQ(to_string(plan(request, Strategy::halves, {}, {}).error()),
            "local blocks: groups: 2: pages that are converted have one transfer group");
  request.blocks = {{{1}}, {{1}}};
  request.sources[0].slice.shares = 2;
  EXPECT_EQ(to_string(plan(request, Strategy::staged, {}, {}).error()),
            "slice: ratio, sources, shares: 1, 1, 2: byte halves need equal TP and equal block sizes");
}

}  // namespace
}  // namespace pageproof::plan
