// The fold and the unfold undo each other, and every number type reads the same fold.
#include <gtest/gtest.h>

#include <numeric>

#include "model/page/format.hpp"
#include "model/page/spoken.hpp"
#include "tests/model/laws.hpp"

namespace pageproof::page {
namespace {

using Number = std::uint64_t;

TEST(Fold, computes_by_hand) {
  const std::vector<Number> digits{2, 5, 1, 7}, radices{8, 16, 2, 128};
  EXPECT_EQ(fold<Number>(digits, radices), ((2 * 16 + 5) * 2 + 1) * 128 + 7);
}

// Over every offset of a few radices: in order, and both ways.
TEST(Fold, undone_by_unfold) {
  for (const std::vector<Number>& radices :
       {std::vector<Number>{5}, {1, 1}, {3, 4}, {2, 3, 5}, {8, 1, 16, 2}, {2, 3, 4, 5, 6}}) {
    const Number count = std::accumulate(radices.begin(), radices.end(), Number{1}, std::multiplies<>());
    std::vector<Number> before;
    for (Number offset = 0; offset < count; ++offset) {
      const std::vector<Number> digits = unfold<Number>(offset, radices);
      EXPECT_EQ(fold<Number>(digits, radices), offset);
      for (std::size_t i = 0; i < digits.size(); ++i) EXPECT_LT(digits[i], radices[i]);
      EXPECT_TRUE(before.empty() || before < digits) << "the fold keeps the order of digit lists";
      before = digits;
    }
  }
}

TEST(Fold, spoken_says_what_it_computes) {
  const std::vector<Number> digits{2, 5, 1, 7}, radices{8, 16, 2, 128};
  std::vector<Spoken> spoken_digits, spoken_radices;
  for (const Number digit : digits) spoken_digits.emplace_back(digit);
  for (const Number radix : radices) spoken_radices.emplace_back(radix);
  const Spoken said = fold<Spoken>(spoken_digits, spoken_radices);
  EXPECT_EQ(said.value, fold<Number>(digits, radices));
  EXPECT_EQ(said.text, "((2 · 16 + 5) · 2 + 1) · 128 + 7");
}

TEST(Fold, spoken_equals_the_number_everywhere) {
  for (const PageFormat& format : catalogue()) {
    const std::string broken = laws::over_all_shapes([&](const Shape& shape) {
      if (!fits(format, shape)) return std::string();
      // Every 7th coordinate: the spoken fold builds text, and 7 meets every digit of these shapes.
      std::string first;
      std::uint64_t index = 0;
      laws::each_coordinate(shape, [&](const Coordinate& c) {
        if (!first.empty() || index++ % 7 != 0 || !fits(format, shape, c.side)) return;
        const Explanation said = explain(format, shape, c);
        if (said.element * shape.element_bytes != locate(format, shape, c).byte) first = to_string(c);
      });
      return first;
    });
    EXPECT_EQ(broken, "") << format.tag;
  }
}

TEST(Fold, explanation_names_digits_and_radices) {
  const Explanation said =
      explain(**find_format("aiter-shuffled"), {8, 16, 128, 2}, {3, Side::value, 2, 5, 7});
  ASSERT_EQ(said.steps.size(), 4u);
  const FoldStep expected[] = {{"h", 2, 8}, {"t/x", 0, 2}, {"d", 7, 128}, {"t%x", 5, 8}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(said.steps[i].digit, expected[i].digit);
    EXPECT_EQ(said.steps[i].value, expected[i].value);
    EXPECT_EQ(said.steps[i].radix, expected[i].radix);
  }
  EXPECT_EQ(said.arithmetic, "((2 · 2 + 0) · 128 + 7) · 8 + 5");
}

}  // namespace
}  // namespace pageproof::page
