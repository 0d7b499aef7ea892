// What is not rearranged. That each element goes where `locate` says, and back again, is a property
// (fuzz/properties/catalogue.cpp).
#include "model/page/rearrange.hpp"

#include <gtest/gtest.h>

#include <array>

namespace pageproof::page {
namespace {

class Rearrange : public testing::Test {
 protected:
  const PageFormat& standard = **find_format("standard");
  const PageFormat& shuffled = **find_format("aiter-shuffled");
};

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
