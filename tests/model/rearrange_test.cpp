// Rearranging pages: element by element as `locate` says, back again to the same bytes, and nothing else
// touched.
#include "model/page/rearrange.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/model/laws.hpp"

namespace pageproof::page {
namespace {

constexpr std::uint64_t kBlocks = 4;
constexpr std::uint64_t kListed[] = {2, 0};
constexpr std::byte kSentinel{0xA5};

// No two neighbours alike, and no period that a page's sizes share.
std::vector<std::byte> filled(std::uint64_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>((i * 167 + (i >> 8) * 59) & 0xFF);
  return data;
}

struct Pool {
  explicit Pool(const Shape& s)
      : pages(filled(kBlocks * s.page_bytes())),
        keys(kBlocks * s.side_bytes(), kSentinel),
        values(kBlocks * s.side_bytes(), kSentinel) {}
  std::vector<std::byte> pages, keys, values;
};

class Rearrange : public testing::Test {
 protected:
  const PageFormat& standard = **find_format("standard");
  const PageFormat& shuffled = **find_format("aiter-shuffled");
};

TEST_F(Rearrange, moves_each_element_where_locate_says) {
  for (const Shape& shape : laws::shapes()) {
    Pool pool(shape);
    apply(*rearrangement(standard, shuffled, shape), kListed, {pool.pages, {}}, {pool.keys, pool.values});
    std::uint64_t wrong = 0;
    for (std::uint64_t block = 0; block < kBlocks; ++block) {
      const bool listed = block == 0 || block == 2;
      laws::each_coordinate(
          shape,
          [&](const Coordinate& c) {
            const Place to = locate(shuffled, shape, c);
            const std::byte* const got = &(to.region == Side::key ? pool.keys : pool.values)[to.byte];
            const std::byte* const page = &pool.pages[locate(standard, shape, c).byte];
            for (std::uint64_t i = 0; i < shape.element_bytes; ++i) {
              wrong += got[i] != (listed ? page[i] : kSentinel);
            }
          },
          block);
    }
    ASSERT_EQ(wrong, 0u) << to_string(shape);
  }
}

TEST_F(Rearrange, comes_back_to_the_same_bytes) {
  for (const Shape& shape : laws::shapes()) {
    const Pool before(shape);
    Pool pool(shape);
    const std::uint64_t all[] = {3, 1, 0, 2};
    apply(*rearrangement(standard, shuffled, shape), all, {pool.pages, {}}, {pool.keys, pool.values});
    std::ranges::fill(pool.pages, kSentinel);
    apply(*rearrangement(shuffled, standard, shape), all, {pool.keys, pool.values}, {pool.pages, {}});
    ASSERT_EQ(pool.pages, before.pages) << to_string(shape);
  }
}

// Elements that stay neighbours move together, and by no more than that.
TEST_F(Rearrange, moves_in_the_longest_runs) {
  const Shape shape{3, 32, 64, 2};
  const auto runs = [&](const char* from, const char* to) {
    return rearrangement(**find_format(from), **find_format(to), shape)->run;
  };
  using Runs = std::array<std::uint32_t, 2>;
  EXPECT_EQ(runs("standard", "aiter-shuffled"), (Runs{8, 1}));
  EXPECT_EQ(runs("standard", "xqa-1"), (Runs{64, 64}));
  EXPECT_EQ(runs("standard", "standard-nhd"), (Runs{128, 128}));
  EXPECT_EQ(runs("xqa-0", "flashinfer-hnd"), (Runs{6144, 6144}));
  EXPECT_EQ(runs("aiter-shuffled", "classic-paged"), (Runs{6144, 8}));
  for (const PageFormat& from : catalogue()) {
    for (const PageFormat& to : catalogue()) {
      const auto map = rearrangement(from, to, shape);
      if (!map) continue;
      for (std::size_t i = 0; i < map->source_of.size(); ++i) {
        if (i % (map->source_of.size() / 2) % map->run[i / (map->source_of.size() / 2)] == 0) continue;
        ASSERT_EQ(map->source_of[i], map->source_of[i - 1] + 1) << from.tag << " to " << to.tag;
      }
    }
  }
}

TEST_F(Rearrange, refuses_an_order_that_does_not_tile) {
  PageFormat mutant = shuffled;
  mutant.value = *parse_order("h t/x d");
  const auto map = rearrangement(standard, mutant, {1, 16, 64, 2});
  ASSERT_FALSE(map.has_value());
  EXPECT_EQ(map.error().field, "axis t");
}

TEST_F(Rearrange, refuses_a_page_of_too_many_elements) {
  const auto map = rearrangement(standard, shuffled, {1 << 20, 1024, 16, 1});
  ASSERT_FALSE(map.has_value());
  EXPECT_NE(map.error().problem.find("2^32"), std::string::npos);
}

}  // namespace
}  // namespace pageproof::page
