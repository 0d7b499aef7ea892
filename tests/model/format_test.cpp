// Every format of the catalogue puts each element of each small shape in a place of its own, and finds it
// back.
#include "model/page/format.hpp"

#include <gtest/gtest.h>

#include "tests/model/laws.hpp"

namespace pageproof::page {
namespace {

laws::Statement statement(const PageFormat& format) {
  return {[format](const Shape& shape, const Coordinate& c) {
            return locate(format, shape, c).byte / shape.element_bytes;
          },
          format.regions == Regions::page};
}

PageFormat planes(std::string_view key, std::string_view value) {
  return {"mutant", *parse_order(key), *parse_order(value), Regions::planes, "", ""};
}

// The formats that ask more of a shape have catalogue_test.cpp.
bool fits_every_shape(const PageFormat& format) {
  return !format.key_only() && std::ranges::all_of(laws::shapes(), [&](const Shape& shape) {
    return fits(format, shape).has_value();
  });
}

class Catalogue : public testing::TestWithParam<std::string> {
 protected:
  const PageFormat& format() const { return **find_format(GetParam()); }
};

TEST_P(Catalogue, tiles_every_shape) {
  const PageFormat& f = format();
  for (const Shape& shape : laws::shapes()) {
    for (const DigitOrder* order : {&f.key, &f.value}) {
      EXPECT_TRUE(tiles(*order, shape, f.regions == Regions::page, f.tag).has_value()) << to_string(shape);
    }
  }
}

TEST_P(Catalogue, one_place_each) {
  EXPECT_EQ(
      laws::over_all_shapes([&](const Shape& s) { return laws::one_place_each(statement(format()), s); }),
      "");
}

TEST_P(Catalogue, finds_every_element_back) {
  const PageFormat& f = format();
  const std::string broken = laws::over_all_shapes([&](const Shape& shape) {
    std::string first;
    laws::each_coordinate(
        shape,
        [&](const Coordinate& c) {
          if (first.empty() && coordinate_at(f, shape, locate(f, shape, c)) != c) first = to_string(c);
        },
        5);
    return first;
  });
  EXPECT_EQ(broken, "");
}

TEST_P(Catalogue, blocks_follow_each_other) {
  const PageFormat& f = format();
  for (const Shape& shape : laws::shapes()) {
    const std::uint64_t stride = f.regions == Regions::page ? shape.page_bytes() : shape.side_bytes();
    for (const std::uint64_t block : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1} << 33}) {
      Coordinate c{0, Side::value, shape.heads - 1, shape.tokens - 1, shape.head_dim - 1};
      const std::uint64_t first = locate(f, shape, c).byte;
      c.block = block;
      EXPECT_EQ(locate(f, shape, c).byte, block * stride + first) << "64-bit, also beyond 4 GiB";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Catalogue, testing::ValuesIn([] {
                           std::vector<std::string> tags;
                           for (const PageFormat& format : catalogue()) {
                             if (fits_every_shape(format)) tags.push_back(format.tag);
                           }
                           return tags;
                         }()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// A digit twice and another missing: the law must see it.
TEST(Catalogue, mutant_that_is_not_one_to_one_is_caught) {
  const laws::Statement mutant = statement(planes("h t/x d%x d/x t%x d%x", "h t/x d%x d/x t/x"));
  EXPECT_NE(laws::one_place_each(mutant, {1, 16, 16, 2}), "");
}

TEST(Catalogue, mutant_off_by_one_is_caught) {
  const PageFormat& shuffled = **find_format("aiter-shuffled");
  const laws::Statement mutant{
      [&](const Shape& shape, const Coordinate& c) { return statement(shuffled).element(shape, c) + 1; },
      false};
  EXPECT_NE(laws::one_place_each(mutant, {1, 16, 16, 2}), "");
}

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
