// The landing: two byte halves that are the page, and no boundary between K and V.
#include "model/page/landing.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/model/laws.hpp"

namespace pageproof::page {
namespace {

using Landing = std::function<Place(const Shape&, std::uint64_t)>;

// The two halves, one after the other, are the page.
std::string halves_are_the_page(const Landing& land, const Shape& shape) {
  for (std::uint64_t byte = 0; byte < shape.page_bytes(); ++byte) {
    const Place place = land(shape, byte);
    if (place.byte >= shape.side_bytes()) return fmt::format("byte {} lies outside its half", byte);
    const std::uint64_t before = place.region == Side::value ? shape.side_bytes() : 0;
    if (before + place.byte != byte) return fmt::format("byte {} lies at {}", byte, before + place.byte);
  }
  return {};
}

TEST(Landing, halves_are_the_page) {
  EXPECT_EQ(laws::over_all_shapes([](const Shape& s) { return halves_are_the_page(landing, s); }), "");
}

TEST(Landing, mutant_that_cuts_one_byte_late_is_caught) {
  const Landing mutant = [](const Shape& shape, std::uint64_t byte) {
    return byte <= shape.side_bytes() ? Place{Side::key, byte}
                                      : Place{Side::value, byte - shape.side_bytes()};
  };
  EXPECT_NE(halves_are_the_page(mutant, {1, 16, 16, 2}), "");
}

TEST(Landing, follows_the_standard_page) {
  const PageFormat& standard = **find_format("standard");
  const std::string broken = laws::over_all_shapes([&](const Shape& shape) {
    std::string first;
    laws::each_coordinate(
        shape,
        [&](const Coordinate& c) {
          const std::uint64_t in_pool = locate(standard, shape, c).byte;
          const Place expected = landing(shape, in_pool % shape.page_bytes());
          const Place place = landing_of(shape, c);
          const bool right =
              place.region == expected.region && place.byte == c.block * shape.side_bytes() + expected.byte;
          if (!right && first.empty()) first = to_string(shape) + " " + to_string(c);
        },
        3);
    return first;
  });
  EXPECT_EQ(broken, "");
}

// Heads below the middle land first; of an odd count the middle head is cut at token N/2.
TEST(Landing, cuts_an_odd_head_count_at_half_its_middle_head) {
  const std::string broken = laws::over_all_shapes([](const Shape& shape) {
    std::string first;
    laws::each_coordinate(shape, [&](const Coordinate& c) {
      const std::uint64_t middle = (shape.heads - 1) / 2;
      const bool odd = shape.heads % 2 == 1;
      const bool in_first =
          odd && c.head == middle ? c.token < shape.tokens / 2 : c.head <= (shape.heads - 1) / 2;
      const Side expected = in_first ? Side::key : Side::value;
      if (landing_of(shape, c).region != expected && first.empty()) {
        first = to_string(shape) + " " + to_string(c);
      }
    });
    return first;
  });
  EXPECT_EQ(broken, "");
}

// Each half holds elements of K and elements of V: a half is never one side.
TEST(Landing, is_no_boundary_between_the_sides) {
  for (const Shape& shape : laws::shapes()) {
    std::uint64_t count[2][2] = {};
    laws::each_coordinate(shape, [&](const Coordinate& c) {
      const Side half = landing_of(shape, c).region;
      ++count[static_cast<std::size_t>(half)][static_cast<std::size_t>(c.side)];
    });
    for (const auto& half : count) {
      EXPECT_EQ(half[0], half[1]) << to_string(shape);
      EXPECT_GT(half[0], 0u) << to_string(shape);
    }
  }
}

}  // namespace
}  // namespace pageproof::page
