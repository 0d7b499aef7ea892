// What a read copies and what runs afterwards: the landing contract of the split read, head slices across
// ranks, and the receive-side transforms that take heads for tokens (trap T11).
#include "model/handshake/receive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "model/handshake/negotiate.hpp"
#include "tests/model/handshake/sides.hpp"

namespace pageproof::handshake {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kPage = 65536;  // 8 heads, 16 tokens, D = 128, bf16
constexpr std::uint64_t kHalf = kPage / 2;

EngineSide converter() {
  return decode(Layout::lhbnc, [](Engine& e) { e.shuffle = e.convert_page_format = true; });
}

// The contract with the converter: the K-plane block, then the V-plane block, hold the remote block's bytes.
TEST(Receive, TheSplitReadLandsTheHalves) {
  const EngineSide local = converter();
  const EngineSide remote = prefill();
  const Verdict verdict = meet_proposed(local, remote);
  ASSERT_TRUE(verdict.accepted());
  const auto read = planned_read(local, {{0, verdict.seen}}, 1, {{5, 1}}, {{0, 3}}, false, false);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_FALSE(read->refused.has_value());
  EXPECT_EQ(read->copies.size(), 2u * 2 * 2);
  for (const auto& [here, there] : {std::pair{5u, 0u}, std::pair{1u, 3u}}) {
    for (const std::uint64_t layer : {0, 1}) {
      const std::uint64_t page = remote.registration.regions[layer].base + there * kPage;
      const Copy key{local.registration.regions[2 * layer].base + here * kHalf, page, kHalf, 0};
      const Copy value{local.registration.regions[2 * layer + 1].base + here * kHalf, page + kHalf, kHalf, 0};
      EXPECT_THAT(read->copies, testing::Contains(key));
      EXPECT_THAT(read->copies, testing::Contains(value));
    }
  }
  EXPECT_EQ(read->after, PostProcess{});
}

// P19 (vllm-gaudi #1588): 36 layers, 72 local regions, 36 remote; today refused, with virtual halves 72
// pairs.
TEST(Receive, P19) {
  const auto layers = [](Engine& e) { e.model.layers = 36; };
  const auto planes = [&](Engine& e) {
    layers(e);
    e.shuffle = e.convert_page_format = true;
  };
  const EngineSide local = decode(Layout::lhbnc, planes);
  const EngineSide remote = prefill(Layout::lbhnc, layers);
  EXPECT_EQ(local.registration.regions.size(), 72u);
  EXPECT_EQ(remote.registration.regions.size(), 36u);
  const auto permuting = [&](Engine& e) { planes(e), e.enable_permute_local_kv = true; };
  const Attempt today = meet_today(decode(Layout::lhbnc, permuting), remote);
  EXPECT_EQ(verdict(today), "check 14 AssertionError");
  EXPECT_THAT(today.rejection->message, HasSubstr("Number of KV layers must match"));
  EXPECT_EQ(today.rejection->local, "72 regions");
  EXPECT_EQ(today.rejection->remote, "36 regions");
  const Verdict proposed = meet_proposed(local, remote);
  ASSERT_EQ(proposed.outcome, Outcome::convert);
  EXPECT_EQ(planned_read(local, {{0, proposed.seen}}, 1, {{0}}, {{0}}, false, false)->copies.size(), 72u);
}

// Without the halves the lists of groups differ in length: the read itself refuses (spec §9, last paragraph).
TEST(Receive, UnequalRegionListsRaise) {
  const auto read = planned_read(converter(), {{0, prefill().metadata}}, 1, {{0}}, {{0}}, false, false);
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->copies.empty());
  EXPECT_EQ(read->refused->exception, Exception::not_implemented_error);
}

// More decode ranks: each reads its heads out of the prefill's block.
TEST(Receive, HeadSlices) {
  for (const std::uint64_t rank : {0, 1}) {
    const EngineSide local = decode(Layout::lbhnc, [&](Engine& e) { e.tp_size = 2, e.tp_rank = rank; });
    const EngineSide remote = prefill();
    const auto read = planned_read(local, {{0, remote.metadata}}, 1, {{7}}, {{2}}, false, false);
    ASSERT_EQ(read->copies.size(), 2u);
    EXPECT_EQ(read->copies[0],
              (Copy{local.registration.regions[0].base + 7 * kHalf,
                    remote.registration.regions[0].base + 2 * kPage + rank * kHalf, kHalf, 0}));
  }
}

// More prefill ranks: their shares tile the local block, in order.
TEST(Receive, SharesOfSources) {
  const EngineSide local = decode();
  const EngineSide remote = prefill(Layout::lbhnc, [](Engine& e) { e.tp_size = 4; });
  std::map<std::uint64_t, AgentMetadata> sources;
  for (std::uint64_t rank = 0; rank < 4; ++rank) sources[rank] = remote.metadata;
  const auto read = planned_read(local, sources, 4, {{3}}, {{9}}, false, false);
  ASSERT_EQ(read->copies.size(), 8u);
  std::set<std::uint64_t> covered;
  for (const Copy& copy : read->copies) {
    EXPECT_EQ(copy.bytes, kPage / 4);
    const std::uint64_t base = local.registration.regions[0].base + 3 * kPage;
    if (copy.local >= base && copy.local < base + kPage) covered.insert((copy.local - base) / (kPage / 4));
  }
  EXPECT_EQ(covered.size(), 4u);
  EXPECT_FALSE(planned_read(local, {{0, remote.metadata}}, 4, {{3}}, {{9}}, false, false).has_value());
}

// r > 1: remote blocks land back to back inside a local block; the tail of the last one is not transferred.
TEST(Receive, SmallerRemoteBlocks) {
  const EngineSide local = decode();
  const EngineSide remote = prefill(Layout::lbhnc, [](Engine& e) { e.block_size = e.kernel_block_size = 4; });
  const auto read =
      planned_read(local, {{0, remote.metadata}}, 1, {{5, 6}}, {{10, 11, 12, 13, 14}}, false, false);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->after.regroups, 4u);
  ASSERT_EQ(read->copies.size(), 10u);
  EXPECT_EQ(read->copies[4].local, local.registration.regions[0].base + 6 * kPage);
  EXPECT_EQ(read->copies[4].remote, remote.registration.regions[0].base + 14 * kPage / 4);
}

// The local side holds a prefix already: the last remote blocks are read.
TEST(Receive, PrefixCaching) {
  const EngineSide local = decode();
  const auto read = planned_read(local, {{0, prefill().metadata}}, 1, {{1}}, {{7, 8, 9}}, false, false);
  EXPECT_EQ(read->copies[0].remote, prefill().registration.regions[0].base + 9 * kPage);
  EXPECT_FALSE(planned_read(local, {{0, prefill().metadata}}, 1, {{1, 2}}, {{7}}, false, false).has_value());
}

TEST(Receive, BlocksBeyondThePoolAreRefused) {
  const EngineSide local = decode();
  const auto refused = [&](region::BlockGroups here, region::BlockGroups there) {
    return !planned_read(local, {{0, prefill().metadata}}, 1, here, there, false, false).has_value();
  };
  EXPECT_FALSE(refused({{1023}}, {{1023}}));
  EXPECT_TRUE(refused({{1024}}, {{0}}));
  EXPECT_TRUE(refused({{0}}, {{1024}}));
  EXPECT_TRUE(refused({{UINT64_MAX}}, {{0}}));
  EXPECT_TRUE(refused({{0}}, {{0}, {0}}));
}

// What the permute is meant to do on a landed LBHNC page that is to become LBNHC: row (h, n) from where (h,
// n) landed. The landed bytes are [H, N]; seen through the LBNHC view, logical row (h, n) is memory row n·H +
// h.
std::vector<std::uint32_t> wanted_permute(std::uint64_t slots, std::uint64_t tokens) {
  std::vector<std::uint32_t> from;
  for (std::uint64_t h = 0; h < slots; ++h) {
    for (std::uint64_t n = 0; n < tokens; ++n) {
      const std::uint64_t memory = h * tokens + n;
      from.push_back(static_cast<std::uint32_t>(memory % slots * tokens + memory / slots));
    }
  }
  return from;
}

// T11: right only where heads equal tokens, or there is one head.
TEST(Receive, ThePermuteTakesHeadsForTokens) {
  for (const std::uint64_t slots : {1, 2, 3, 4, 8, 16}) {
    for (const std::uint64_t tokens : {1, 4, 8, 16, 32}) {
      const bool right = permute_rows(slots, tokens) == wanted_permute(slots, tokens);
      EXPECT_EQ(right, slots == tokens || slots == 1 || tokens == 1) << slots << " " << tokens;
    }
  }
}

// Landed: r remote pages [H, n] in a row. Wanted: [H, N].
std::vector<std::uint32_t> wanted_regroup(std::uint64_t slots, std::uint64_t tokens, std::uint64_t ratio) {
  const std::uint64_t part = tokens / ratio;
  std::vector<std::uint32_t> from;
  for (std::uint64_t h = 0; h < slots; ++h) {
    for (std::uint64_t n = 0; n < tokens; ++n) {
      from.push_back(static_cast<std::uint32_t>((n / part * slots + h) * part + n % part));
    }
  }
  return from;
}

TEST(Receive, TheRegroupTakesHeadsForTokens) {
  EXPECT_FALSE(regroup_rows(1, 16, 2).has_value());  // raises: nothing silent about it
  EXPECT_FALSE(regroup_rows(8, 16, 0).has_value());
  EXPECT_FALSE(permute_and_regroup_rows(3, 16, 2).has_value());
  for (const std::uint64_t slots : {2, 4, 8, 16}) {
    for (const std::uint64_t tokens : {8, 16, 32}) {
      const auto rows = *regroup_rows(slots, tokens, 2);
      EXPECT_NE(rows, wanted_regroup(slots, tokens, 2)) << slots << " " << tokens;
    }
  }
  // r = 1 regroups nothing.
  std::vector<std::uint32_t> identity(8 * 16);
  std::iota(identity.begin(), identity.end(), 0);
  EXPECT_EQ(*regroup_rows(8, 16, 1), identity);
}

TEST(Receive, EveryTransformIsAPermutationOfRows) {
  for (const auto& rows :
       {permute_rows(8, 16), *regroup_rows(8, 16, 4), *permute_and_regroup_rows(8, 16, 4)}) {
    std::vector<std::uint32_t> sorted = rows;
    std::ranges::sort(sorted);
    for (std::uint32_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], i);
  }
}

}  // namespace
}  // namespace pageproof::handshake
