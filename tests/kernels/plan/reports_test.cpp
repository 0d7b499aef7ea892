// Public reports about plans: P17 to P20, P22, and the kind around each.
#include <gmock/gmock.h>

#include <numeric>

#include "model/handshake/today.hpp"
#include "reports/plan/sides.hpp"
#include "tests/kernels/plan/sides.hpp"
#include "tests/model/handshake/sides.hpp"

namespace pageproof::plan {
namespace {

using handshake::Engine;
using handshake::Layout;

reports::PlanParty party(const std::string& id, const std::function<void(Engine&)>& change,
                         Layout layout = Layout::lbhnc) {
  return {handshake::side(handshake::engine_named(id, change), layout), true};
}

std::string problem_of(const reports::PlanParty& local, const reports::PlanParty& remote) {
  const auto pair = reports::plan_pair(local, {&remote, 1}, {{0}}, {{0}}, std::nullopt);
  return pair ? "planned" : to_string(pair.error());
}

// P17: prefill TP 8, decode TP 1, 4 KV heads; a slice of 65,536 B of a block of 262,144 B.
TEST(P17, OneSliceOfFourLeavesTheRestUnwritten) {
  const Side local = dense(0x1000000, 1, 262144, 4), remote = dense(0x8000000, 1, 65536, 9);
  Request request = request_of(local, remote, {2}, {5}, Pages::same, {.sources = 4, .slot = 0});
  for (std::uint64_t slot = 1; slot < 4; ++slot) {
    request.sources.push_back(request.sources[0]);
    request.sources[slot].rank = slot;
    request.sources[slot].slice.slot = slot;
  }
  Plan made = planned(request, Strategy::whole);
  EXPECT_EQ(made.cost.bytes, 262144u);

  // The other connector's read: one slice, whole block declared received.
  const Rows first = rows_of(made.reads[0]);
  Moves wanted;
  for (const Source& source : request.sources) {
    const auto one = wanted_moves(local, source.side, Split::none, source.slice, request.blocks);
    ASSERT_TRUE(one.has_value());
    wanted.add(one->local[0], one->remote[0]);
  }
  const auto found = check({.local_memory = request.memory,
                            .remote_memory = request.sources[0].memory,
                            .local = first.local,
                            .remote = first.remote,
                            .wanted = Wanted{wanted.local, wanted.remote}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rule, Rule::nothing_missing);
  EXPECT_THAT(found->text, testing::HasSubstr("196608 B of the request's blocks are never written"));

  // Each slot missing is found, whichever it is.
  for (std::size_t missing = 0; missing < 4; ++missing) {
    Plan three = made;
    three.reads[missing].local_ids.clear();
    three.reads[missing].remote_ids.clear();
    const auto gap = check(request, three, {});
    ASSERT_TRUE(gap.has_value());
    EXPECT_EQ(gap->rule, Rule::bytes_total);
  }
}

TEST(P17, TodaysCheckFiveRejectsThePair) {
  const auto heads = [](std::uint64_t tp) {
    return [tp](Engine& engine) {
      engine.model.kv_heads = 4;
      engine.tp_size = tp;
    };
  };
  const auto decoder = party("decode", heads(1)), prefill = party("prefill", heads(8));
  EXPECT_EQ(handshake::verdict(handshake::meet_today(decoder.side, prefill.side)), "check 5 AssertionError");
  EXPECT_THAT(problem_of(decoder, prefill), testing::HasSubstr("check 5: AssertionError"));
  EXPECT_EQ(problem_of(decoder, party("prefill", heads(4))), "planned");
  EXPECT_THAT(problem_of(party("decode", heads(2)), prefill), testing::HasSubstr("check 5"));
  EXPECT_EQ(problem_of(party("decode", heads(8)), prefill), "planned");
}

// P18: two regions at one base, 32,768 and 19,008 bytes a block: two regions, not one.
TEST(P18, TwoRegionsAtOneBase) {
  const auto overlaid = [](std::uint64_t base, std::uint64_t blocks) {
    Side side;
    for (const std::uint64_t len : {32768, 19008}) {
      side.regions.push_back({.base = base,
                              .block_len = len,
                              .block_stride = 32768,
                              .num_blocks = blocks,
                              .group = static_cast<std::int64_t>(side.regions.size())});
    }
    return side;
  };
  Request request = request_of(overlaid(1 << 20, 6), overlaid(1 << 22, 9), {}, {}, Pages::same);
  request.blocks = {{{1}, {4}}, {{3}, {7}}};
  const Plan made = planned(request, Strategy::whole);
  EXPECT_THAT(made.reads[0].local_ids, testing::ElementsAre(1, 6 + 4));
  EXPECT_THAT(made.reads[0].remote_ids, testing::ElementsAre(3, 9 + 7));
  EXPECT_EQ(made.cost.bytes, 32768u + 19008u);

  // Taken as one region, the second length is lost.
  Request one = request;
  one.local.regions.pop_back();
  EXPECT_THAT(to_string(plan(one, Strategy::whole, {}, {}).error()),
              testing::HasSubstr("the local side has 1"));
  // The same block for both groups: two writers of the same bytes.
  Request twice = request;
  twice.blocks = {{{1}, {1}}, {{3}, {3}}};
  const auto both = plan(twice, Strategy::whole, {}, {});
  ASSERT_TRUE(both.has_value());
  ASSERT_TRUE(check(twice, *both, {}).has_value());
  EXPECT_EQ(check(twice, *both, {})->rule, Rule::destinations_apart);
}

// P19: 36 layers, 72 local planes, 36 remote pages.
TEST(P19, RegionsMustMatchUntilTheRemoteIsHalved) {
  const auto layers = [](Engine& engine) { engine.model.layers = 36; };
  const auto decoder = party(
      "decode",
      [&](Engine& engine) {
        layers(engine);
        engine.shuffle = true;
      },
      Layout::lhbnc);
  const auto prefill = party("prefill", layers);
  ASSERT_EQ(decoder.side.registration.regions.size(), 72u);
  ASSERT_EQ(prefill.side.registration.regions.size(), 36u);
  handshake::Worker worker;
  handshake::AgentMetadata same_layout = prefill.side.metadata;
  same_layout.kv_cache_layout = "LHBNC";
  const auto rejection = handshake::add_remote_agent(decoder.side, worker, same_layout, 0, 1);
  ASSERT_TRUE(rejection.has_value());
  EXPECT_EQ(rejection->check, 14u);
  EXPECT_THAT(rejection->message, testing::HasSubstr("Number of KV layers must match"));

  const Side local = reports::planner_side(decoder.side.registration.regions, 0, false);
  const Side remote = reports::planner_side(prefill.side.registration.regions, 0, false);
  EXPECT_EQ(to_string(prepare(local, remote, Split::none, {}).error()),
            "remote: regions: 36: the local side has 72");
  EXPECT_EQ(to_string(prepare(local, local, Split::halves, {}).error()),
            "remote: regions: 144: the local side has 72; each remote region counts as two halves");
  const auto pair = reports::plan_pair(decoder, {&prefill, 1}, {{3}}, {{8}}, std::nullopt);
  ASSERT_TRUE(pair.has_value()) << to_string(pair.error());
  EXPECT_EQ(planned(pair->request, Strategy::halves).cost.planned, 72u);
}

// P20: local and remote ids exchanged; 100 local blocks, 50 remote ones.
TEST(P20, ExchangedIdsAreOutOfRangeOrWrongBlocks) {
  const Side local = dense(1 << 20, 2, 1024, 100), remote = dense(1 << 24, 2, 1024, 50);
  const auto out_of_range =
      plan(request_of(local, remote, {49, 7}, {99, 3}, Pages::same), Strategy::whole, {}, {});
  ASSERT_FALSE(out_of_range.has_value());
  EXPECT_EQ(to_string(out_of_range.error()), "remote: blocks of group 0: 99: region 0 has 50 of them");

  // Silent today where both sides have as many.
  const Request request = request_of(local, dense(1 << 24, 2, 1024, 100), {20, 7}, {30, 3}, Pages::same);
  Plan made = planned(request, Strategy::whole);
  std::swap(made.reads[0].local_ids, made.reads[0].remote_ids);
  const auto found = check(request, made, {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rule, Rule::request_only);
}

TEST(P20, ExchangedSidesAreCaught) {
  const Side local = dense(1 << 20, 2, 1024, 100), remote = dense(1 << 24, 2, 1024, 50);
  const Request request = request_of(local, remote, {20, 7}, {30, 3}, Pages::same);
  Plan made = planned(request, Strategy::whole);
  std::swap(made.reads[0].local, made.reads[0].remote);
  std::swap(made.reads[0].local_ids, made.reads[0].remote_ids);
  const auto found = check(request, made, {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rule, Rule::local_inside);
}

// The kind around it: any number of layers, and one region more or less on either side.
TEST(P19, OneRegionMoreOrLessIsNoPairOnEitherSide) {
  for (const std::size_t layers : {1, 2, 36, 61}) {
    const Side planes = dense(1 << 20, 2 * layers, 512, 6), pages = dense(1 << 24, layers, 1024, 9);
    EXPECT_TRUE(prepare(planes, pages, Split::halves, {}).has_value());
    EXPECT_FALSE(prepare(planes, pages, Split::none, {}).has_value());
    EXPECT_FALSE(prepare(pages, planes, Split::halves, {}).has_value());
    for (const std::size_t other : {layers - 1, layers + 1}) {
      const auto fewer = prepare(planes, dense(1 << 24, other, 1024, 9), Split::halves, {});
      ASSERT_FALSE(fewer.has_value()) << layers << " and " << other;
      EXPECT_EQ(fewer.error().field, "regions");
    }
    const auto odd = prepare(dense(1 << 20, 2 * layers + 1, 512, 6), pages, Split::halves, {});
    ASSERT_FALSE(odd.has_value());
    EXPECT_EQ(odd.error().field, "regions");
  }
}

// P22: what is planned and what is posted are two numbers. The report has a stride of twice the length on one
// side; any gap will do, on either side or on both.
TEST(P22, RowsWithGapsAreNeverMerged) {
  const auto spread = [](std::uint64_t base, std::uint64_t blocks, std::uint64_t gap) {
    Side side = dense(base, 2, 1024, blocks);
    for (Region& region : side.regions) region.block_stride += gap;
    side.regions[1].base = base + blocks * (1024 + gap);
    return side;
  };
  BlockIds row(10);
  std::iota(row.begin(), row.end(), std::uint64_t{4});
  for (const std::uint64_t here : {0, 16, 1024}) {
    for (const std::uint64_t there : {0, 16, 1024}) {
      const Plan made =
          planned(request_of(spread(1 << 20, 100, here), spread(1 << 24, 50, there), row, row, Pages::same),
                  Strategy::whole);
      EXPECT_EQ(made.cost.planned, 20u);
      EXPECT_EQ(made.cost.posted, here == 0 && there == 0 ? 2u : 20u) << here << " " << there;
    }
  }
}

// Halves of pages: every remote row has its page's stride, twice its length, wherever the blocks lie.
TEST(P22, HalvesArePostedOneByOneAndStagedPagesByRuns) {
  BlockIds row(10);
  std::iota(row.begin(), row.end(), std::uint64_t{4});
  const Request request =
      request_of(dense(1 << 20, 4, 512, 40), dense(1 << 24, 2, 1024, 50), row, row, Pages::for_planes);
  EXPECT_EQ(planned(request, Strategy::halves).cost.posted, 40u);
  EXPECT_EQ(planned(request, Strategy::staged, {1 << 28, 1 << 20}).cost.posted, 2u);
  EXPECT_EQ(planned(request, Strategy::run_halves).cost.posted, 4u);
}

}  // namespace
}  // namespace pageproof::plan
