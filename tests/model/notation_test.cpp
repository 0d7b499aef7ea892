// The one-line notation: what it reads, what it refuses, when two lines are the same format, what tiles.
#include <gtest/gtest.h>

#include "model/page/digit.hpp"

namespace pageproof::page {
namespace {

DigitOrder order(std::string_view line) {
  auto parsed = parse_order(line);
  EXPECT_TRUE(parsed.has_value()) << line;
  return parsed.value_or(DigitOrder{});
}

TEST(Notation, reads_a_digit) {
  const Digit whole{Axis::head, Granularity::one(), Granularity::whole()};
  EXPECT_EQ(order("h"), DigitOrder{whole});
  const Digit slice{Axis::token, Granularity::x(), {Granularity::Kind::number, 16}};
  EXPECT_EQ(order("t%16/x"), DigitOrder{slice});
  const Digit high{Axis::dim, {Granularity::Kind::number, 8}, Granularity::whole()};
  EXPECT_EQ(order("d/8"), DigitOrder{high});
}

TEST(Notation, prints_what_it_reads) {
  for (const char* line : {"h t s d", "h d/x t d%x", "h t/x d t%x", "h d t", "t/16 h t%16/x d t%x", "s",
                           "d%18446744073709551615/2"}) {
    EXPECT_EQ(to_string(order(line)), line);
    EXPECT_EQ(order(to_string(order(line))), order(line));
  }
}

TEST(Notation, prints_and_reads_every_small_digit) {
  const Granularity granularities[] = {
      Granularity::one(), Granularity::x(), Granularity::whole(), {Granularity::Kind::number, 16}};
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    for (const Granularity& low : granularities) {
      for (const Granularity& high : granularities) {
        // "%1" and "/whole" name no slice that a person would write.
        if (low == Granularity::whole() || high == Granularity::one()) continue;
        const DigitOrder digit{{static_cast<Axis>(axis), low, high}};
        EXPECT_EQ(order(to_string(digit)), digit) << to_string(digit);
      }
    }
  }
}

TEST(Notation, spaces_do_not_count) {
  EXPECT_EQ(order("  h   d/x "), order("h d/x"));
}

TEST(Notation, refuses_with_the_word) {
  struct Bad {
    const char* line;
    const char* word;
  };
  for (const Bad& bad : {Bad{"h q d", "q"}, Bad{"h d/0", "d/0"}, Bad{"t%0", "t%0"}, Bad{"h d/", "d/"},
                         Bad{"t%", "t%"}, Bad{"hh", "hh"}, Bad{"t/x%16", "t/x%16"}, Bad{"d%x/", "d%x/"},
                         Bad{"d/-1", "d/-1"}, Bad{"d/18446744073709551616", "d/18446744073709551616"},
                         Bad{"d/xx", "d/xx"}, Bad{"d/8x", "d/8x"}, Bad{"H", "H"}, Bad{"h\td", "h\td"},
                         Bad{"%x", "%x"}, Bad{"/", "/"}, Bad{"t%%x", "t%%x"}, Bad{"t%x%x", "t%x%x"}}) {
    const auto parsed = parse_order(bad.line);
    ASSERT_FALSE(parsed.has_value()) << bad.line;
    EXPECT_EQ(parsed.error().value, bad.word);
    EXPECT_NE(to_string(parsed.error()).find("not a slice"), std::string::npos);
  }
}

TEST(Notation, refuses_an_empty_line) {
  EXPECT_FALSE(parse_order("").has_value());
  EXPECT_FALSE(parse_order("   ").has_value());
}

TEST(NormalForm, joins_what_continues) {
  EXPECT_EQ(normal_form(order("t/x t%x")), order("t"));
  EXPECT_EQ(normal_form(order("h t/16 t%16/x t%x d")), order("h t d"));
  EXPECT_EQ(normal_form(order("d/x d%x t")), order("d t"));
}

TEST(NormalForm, keeps_what_does_not) {
  for (const char* line : {"h d/x t d%x", "h t/x d t%x", "t%x t/x", "h t s d", "t/16 t%x"}) {
    EXPECT_EQ(normal_form(order(line)), order(line)) << line;
  }
}

TEST(NormalForm, is_its_own) {
  for (const char* line : {"t/x t%x", "h t/16 t%16/x t%x d", "h d/x t d%x"}) {
    EXPECT_EQ(normal_form(normal_form(order(line))), normal_form(order(line)));
  }
}

constexpr Shape kShape{3, 48, 96, 2};

TEST(Tiles, holds_where_the_slices_cover_each_axis) {
  EXPECT_TRUE(tiles(order("h t s d"), kShape, true, "").has_value());
  EXPECT_TRUE(tiles(order("h d/x t d%x"), kShape, false, "").has_value());
  EXPECT_TRUE(tiles(order("t/16 h t%16/x d t%x"), kShape, false, "").has_value());
  EXPECT_TRUE(tiles(order("d%x t h d/x"), kShape, false, "").has_value());
}

TEST(Tiles, refuses_with_the_axis) {
  struct Bad {
    const char* line;
    const char* axis;
  };
  for (const Bad& bad : {
           Bad{"t s d", "h"},                 // an axis is missing
           Bad{"h t d d", "d"},               // an axis twice
           Bad{"h t/x d", "t"},               // the low slice is missing
           Bad{"h t%x d", "t"},               // the high slice is missing
           Bad{"h t/x t%16 d", "t"},          // slices overlap
           Bad{"h t/16 t%x d", "t"},          // a gap between the slices
           Bad{"h t/32 d t%32", "t"},         // 48 is no multiple of 32
           Bad{"h d/x t d%x d/x", "d"},       // a slice twice
           Bad{"h t/24 t%24/x t%x d s", "s"}  // a side where there is none
       }) {
    const bool side = std::string_view(bad.line) == "t s d";
    const auto fits = tiles(order(bad.line), kShape, side, "here");
    ASSERT_FALSE(fits.has_value()) << bad.line;
    EXPECT_EQ(fits.error().field, std::string("axis ") + bad.axis) << bad.line;
    EXPECT_EQ(fits.error().subject, "here");
  }
}

TEST(Tiles, wants_the_side_in_a_page) {
  EXPECT_FALSE(tiles(order("h t d"), kShape, true, "").has_value());
  EXPECT_FALSE(tiles(order("h t s d"), kShape, false, "").has_value());
  EXPECT_TRUE(has_side(order("h t s d")));
  EXPECT_FALSE(has_side(order("h t d")));
}

}  // namespace
}  // namespace pageproof::page
