// Tags and coordinates that are refused. That every format puts each element in a place of its own and finds
// it back is a property (fuzz/properties/catalogue.cpp).
#include "model/page/format.hpp"

#include <gtest/gtest.h>

namespace pageproof::page {
namespace {

TEST(FindFormat, names_the_nearest) {
  const auto found = find_format("aiter-shufled");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().value, "aiter-shufled");
  EXPECT_NE(found.error().problem.find("aiter-shuffled"), std::string::npos);
  EXPECT_NE(find_format("standart").error().problem.find("standard"), std::string::npos);
  EXPECT_FALSE(find_format("").has_value());
  EXPECT_FALSE(find_format(std::string(100'000, 'a')).has_value());
}

TEST(CheckedCoordinate, names_the_axis) {
  const Shape shape{3, 16, 64, 2};
  EXPECT_TRUE(checked(Coordinate{9, Side::key, 2, 15, 63}, shape, "").has_value());
  EXPECT_EQ(checked(Coordinate{0, Side::key, 3, 0, 0}, shape, "").error().field, "head");
  EXPECT_EQ(checked(Coordinate{0, Side::key, 0, 16, 0}, shape, "").error().field, "token");
  EXPECT_EQ(checked(Coordinate{0, Side::key, 0, 0, 64}, shape, "").error().field, "dim");
  EXPECT_EQ(checked(Coordinate{UINT64_MAX, Side::key, 0, 0, 0}, shape, "").error().field, "block");
}

}  // namespace
}  // namespace pageproof::page
