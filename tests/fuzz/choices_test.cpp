#include "fuzz/generate/choices.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "fuzz/generate/convert_case.hpp"
#include "fuzz/generate/rapidcheck.hpp"
#include "fuzz/laws/converter.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::fuzz {
namespace {

// How many lists of `count` different numbers below `bound` there are.
std::uint64_t arrangements(std::uint64_t bound, std::uint64_t count) {
  return count == 0 ? 1 : bound * arrangements(bound - 1, count - 1);
}

// What make_convert_case can make of an extent without fast shapes, high ids and repeats, counted by formula.
// Every N is above `heads` here, so that H != N costs no case.
std::uint64_t convert_cases_of(const Extent& e) {
  std::uint64_t lists = 0;
  for (std::uint64_t standard = 1; standard <= e.blocks; ++standard) {
    for (std::uint64_t planes = 1; planes <= e.blocks; ++planes) {
      if (planes == standard) continue;
      for (std::uint64_t count = 0; count <= std::min(standard, planes); ++count) {
        lists += arrangements(standard, count) * arrangements(planes, count);
      }
    }
  }
  // 2-byte elements in either order of a page; 1-byte ones in either order, rewritten or not.
  const std::uint64_t shapes = (2 + 2 * 2) * e.heads * e.token_granules * e.head_dim_granules;
  const std::uint64_t ways = e.layers * 2 * e.gaps * e.gaps * e.gaps * e.gaps * 2 * e.threads * e.seeds;
  return shapes * ways * lists;
}

TEST(Odometer, MakesEveryCaseOfATinyExtentOnce) {
  const Extent tiny{.heads = 2,
                    .token_granules = 1,
                    .head_dim_granules = 2,
                    .page_bytes = {std::uint64_t{1} << 20},
                    .layers = 2,
                    .blocks = 3,
                    .gaps = 1,
                    .threads = 2,
                    .seeds = 1};
  std::set<std::string> seen;
  const std::uint64_t visited = for_every_case([&](Choices& choices) {
    seen.insert(to_json(make_convert_case(choices, tiny)).dump());
    return true;
  });
  EXPECT_EQ(visited, convert_cases_of(tiny));
  EXPECT_EQ(seen.size(), visited);
}

TEST(Odometer, MakesNoSmallCaseTwice) {
  std::set<std::vector<std::uint64_t>> choices_seen;
  std::set<std::string> seen;
  const std::uint64_t visited = for_every_case([&](Choices& choices) {
    seen.insert(to_string(make_convert_case(choices, small_extent())));
    choices_seen.insert(choices.made());
    return true;
  });
  EXPECT_EQ(choices_seen.size(), visited);
  // A fast shape of 16 or 32 tokens is none of the others, whose D stays below 64.
  EXPECT_EQ(seen.size(), visited);
  EXPECT_GT(visited, 1000u);
}

TEST(Odometer, CountsWithBoundsThatDependOnEarlierChoices) {
  std::vector<std::vector<std::uint64_t>> made;
  for_every_case([&](Choices& choices) {
    const std::uint64_t count = choices.below(3);
    for (std::uint64_t i = 0; i < count; ++i) choices.below(count);
    made.push_back(choices.made());
    return true;
  });
  const std::vector<std::vector<std::uint64_t>> expected = {{0},       {1, 0},    {2, 0, 0},
                                                            {2, 0, 1}, {2, 1, 0}, {2, 1, 1}};
  EXPECT_EQ(made, expected);
}

TEST(Choices, RandomCasesReplayFromTheirChoices) {
  std::set<std::string> different;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Choices random(seeded(seed));
    const ConvertCase c = make_convert_case(random, wide_extent());
    Choices same(seeded(seed));
    EXPECT_EQ(make_convert_case(same, wide_extent()), c);
    Choices again(recorded(random.made()));
    EXPECT_EQ(make_convert_case(again, wide_extent()), c);
    EXPECT_EQ(again.made(), random.made());
    different.insert(to_string(c));
  }
  EXPECT_EQ(different.size(), 500u);
}

TEST(Choices, ARecordedAnswerAboveItsBoundIsTheLargest) {
  Choices choices(recorded({9, 1}));
  EXPECT_EQ(choices.below(4), 3u);
  EXPECT_EQ(choices.below(4), 1u);
  EXPECT_EQ(choices.below(4), 0u);
}

struct Seen {
  bool odd_heads = false, one_head = false, many_heads = false, no_block = false, all_blocks = false;
  bool high_id = false, unordered = false, two_slot = false, gap = false, base = false, fast = false;
  bool fold = false, narrow_ids = false, one_byte = false, several_layers = false;
  friend bool operator==(const Seen&, const Seen&) = default;
};

TEST(ConvertCase, RandomCasesAreWellFormedAndReachEveryKind) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Choices choices(seeded(seed));
    const ConvertCase c = make_convert_case(choices, wide_extent());
    ASSERT_TRUE(checked(c.shape, "case").has_value()) << to_string(c);
    ASSERT_NE(c.shape.heads, c.shape.tokens);
    ASSERT_NE(c.standard_blocks, c.plane_blocks);
    ASSERT_EQ(c.from.size(), c.to.size());
    ASSERT_EQ(std::set(c.to.begin(), c.to.end()).size(), c.to.size());
    ASSERT_EQ(std::set(c.from.begin(), c.from.end()).size(), c.from.size());
    for (const std::uint64_t id : c.to) ASSERT_LT(id, c.plane_blocks);
    for (const std::uint64_t id : c.from) ASSERT_LT(id, c.standard_blocks);
    seen.odd_heads |= c.shape.heads > 1 && c.shape.heads % 2 == 1;
    seen.one_head |= c.shape.heads == 1;
    seen.many_heads |= c.shape.heads >= 8;
    seen.no_block |= c.to.empty();
    seen.all_blocks |= c.to.size() == c.plane_blocks;
    seen.high_id |= !c.to.empty() && c.to.back() > 255;
    seen.unordered |= !std::ranges::is_sorted(c.to);
    seen.two_slot |= c.planes == Planes::two_slot;
    seen.gap |= c.plane_gap > 0 && c.standard_gap > 0;
    seen.base |= c.plane_base > 0 && c.standard_base > 0;
    seen.fast |= is_fast_shape(c.shape);
    seen.fold |= !is_fast_shape(c.shape);
    seen.narrow_ids |= c.id_bytes == 4;
    seen.one_byte |= c.shape.element_bytes == 1;
    seen.several_layers |= c.layers > 1;
  }
  EXPECT_EQ(seen,
            (Seen{true, true, true, true, true, true, true, true, true, true, true, true, true, true, true}));
}

TEST(ConvertCase, IsShownInTheVocabulary) {
  ConvertCase c;
  c.shape = {3, 16, 64, 2};
  c.from = {4, 0};
  c.to = {1, 2};
  EXPECT_EQ(to_string(c),
            "H=3 N=16 D=64 e=2   layers=1 standard=[1 blocks, gap 0 B, base 0 B] planes=[separate, 2 blocks, "
            "gap 0 B, "
            "base 0 B] ids=4B from=[4,0] to=[1,2] threads=1 seed=0");
  EXPECT_EQ(rc::toString(c), to_string(c));
  EXPECT_EQ(rc::toString(c.shape), "H=3 N=16 D=64 e=2");
  EXPECT_EQ(rc::toString(Coordinate{1, Side::value, 2, 3, 4}), "block=1 side=V head=2 token=3 dim=4");
}

}  // namespace
}  // namespace pageproof::fuzz
