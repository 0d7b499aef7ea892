// What is not rearranged. That each element goes where `locate` says, and back again, is a property
// (fuzz/properties/catalogue.cpp).
#include "model/page/rearrange.hpp"

#include <gtest/gtest.h>

namespace pageproof::page {
namespace {

class Rearrange : public testing::Test {
 protected:
  const PageFormat& standard = **find_format("standard");
  const PageFormat& shuffled = **find_format("aiter-shuffled");
};

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
