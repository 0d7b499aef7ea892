// What the catalogue refuses, names and lists, and the layouts. Its laws over every small shape are
// properties (fuzz/properties/catalogue.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/page/format.hpp"
#include "model/page/layout.hpp"
#include "model/page/markdown.hpp"
#include "model/page/rearrange.hpp"
#include "model/page/words.hpp"

namespace pageproof::page {
namespace {

using ::testing::HasSubstr;
using U = std::uint64_t;

TEST(Formats, FormatsOfKOnlyMoveOneSide) {
  const Shape shape{1, 16, 16, 1};
  const auto map = rearrangement(**find_format("mfma-16x16"), **find_format("aiter-mla-shuffled"), shape);
  ASSERT_TRUE(map.has_value());
  std::vector<std::byte> source(2 * shape.side_bytes());
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + i / 256);
  std::vector<std::byte> moved(source.size());
  const std::vector<U> blocks{1};
  apply(*map, blocks, {source, {}}, {moved, {}});
  for (U i = 0; i < shape.side_bytes(); ++i) {
    EXPECT_EQ(moved[i], std::byte{0}) << "block 0 was not asked for";
    EXPECT_EQ(moved[shape.side_bytes() + i], source[shape.side_bytes() + map->source_of[i]]);
  }
}

TEST(Formats, RefusesWithTheRuleAndTheValue) {
  const auto refusal = [](const char* tag, const Shape& shape) {
    const Expected<void> fitting = fits(**find_format(tag), shape);
    return fitting ? std::string() : to_string(fitting.error());
  };
  EXPECT_EQ(refusal("cpu-amx", {2, 16, 64, 2}), "format cpu-amx: tokens: 16: not a multiple of 32");
  EXPECT_EQ(refusal("cpu-amx", {2, 32, 72, 2}), "format cpu-amx: head_dim: 72: not a multiple of 16");
  EXPECT_EQ(refusal("cpu-neon", {2, 32, 64, 1}),
            "format cpu-neon: element_bytes: 1: this format has elements of 2 B");
  EXPECT_EQ(refusal("mfma-16x16", {2, 16, 64, 1}), "format mfma-16x16: heads: 2: this format has one head");
  EXPECT_EQ(refusal("aiter-page16", {2, 24, 64, 2}), "format aiter-page16: tokens: 24: not a multiple of 16");
  EXPECT_THAT(refusal("aiter-shuffled", {2, 16, 12, 2}), HasSubstr("do not tile this axis"));
  const Expected<void> v = fits(**find_format("mfma-16x16"), {1, 16, 16, 1}, Side::value);
  ASSERT_FALSE(v.has_value());
  EXPECT_EQ(to_string(v.error()), "format mfma-16x16: side: V: this format holds K only");
}

TEST(Formats, UnknownTagNamesTheNearest) {
  const auto unknown = find_format("aiter-shufled");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(to_string(unknown.error()), HasSubstr("did you mean aiter-shuffled, "));
  const auto landing = find_format("landing");
  ASSERT_FALSE(landing.has_value());
  EXPECT_THAT(to_string(landing.error()), HasSubstr("no order of digits"));
  const auto layout = find_layout("LBHCN");
  ASSERT_FALSE(layout.has_value());
  EXPECT_THAT(to_string(layout.error()), HasSubstr("did you mean LBHNC"));
  EXPECT_EQ((*find_layout("NHD"))->name, "LBNHC");
}

// Half a name, a name with a slip in it, capitals: what was meant comes first.
TEST(Formats, UnknownTagNamesWhatItIsAPartOf) {
  const std::pair<const char*, const char*> cases[] = {
      {"clasic", "did you mean classic-paged"},
      {"shufled", "did you mean aiter-shuffled, "},
      {"flashinfer", "did you mean flashinfer-hnd, flashinfer-nhd"},
      {"FlashInfer_NHD", "did you mean flashinfer-nhd, "},
      {"sglang", "did you mean sglang-vectorized-5d"},
      {"page16", "did you mean aiter-page16, aiter-page16-lbhnc"},
      {"xqa", "did you mean xqa-0, xqa-1"},
      {"vectorised", "did you mean sglang-vectorized-5d"},
      {"standard-hnd", "did you mean standard-nhd"},
      {"amx", "did you mean cpu-amx"},
      {"", "did you mean "},
      {"-", "did you mean "},
  };
  for (const auto& [tag, offer] : cases) {
    const auto unknown = find_format(tag);
    ASSERT_FALSE(unknown.has_value()) << tag;
    EXPECT_THAT(to_string(unknown.error()), HasSubstr(offer));
  }
  EXPECT_FALSE(find_format(std::string(1 << 20, 'a')).has_value());
}

TEST(Formats, SameOrderUnderTwoNamesIsSaid) {
  EXPECT_THAT(same_order_as(**find_format("aiter-shuffled")), ::testing::ElementsAre("sglang-vectorized-5d"));
  EXPECT_THAT(same_order_as(**find_format("xqa-0")), ::testing::IsEmpty());
}

TEST(Formats, MarkdownHasARowForEverything) {
  const std::string table = catalogue_markdown();
  for (const PageFormat& format : catalogue()) EXPECT_THAT(table, HasSubstr("| `" + format.tag + "` |"));
  for (const Layout& layout : layouts())
    EXPECT_THAT(table, HasSubstr("| " + std::string(layout.name) + " |"));
  for (const NotAnOrder& other : not_orders()) EXPECT_THAT(table, HasSubstr(std::string(other.reason)));
}

TEST(Layouts, StridesAreProductsOfTheAxesFurtherIn) {
  const PerLayoutAxis<U> sizes{2, 3, 5, 7, 11};  // L, B, H, N, C
  const auto of = [&](const char* name) { return strides(**find_layout(name), sizes); };
  EXPECT_EQ(of("LBHNC"), (PerLayoutAxis<U>{3 * 5 * 7 * 11, 5 * 7 * 11, 7 * 11, 11, 1}));
  EXPECT_EQ(of("LBNHC"), (PerLayoutAxis<U>{3 * 5 * 7 * 11, 5 * 7 * 11, 11, 5 * 11, 1}));
  EXPECT_EQ(of("LHBNC"), (PerLayoutAxis<U>{3 * 5 * 7 * 11, 7 * 11, 3 * 7 * 11, 11, 1}));
  EXPECT_EQ(of("BLHNC"), (PerLayoutAxis<U>{5 * 7 * 11, 2 * 5 * 7 * 11, 7 * 11, 11, 1}));
  EXPECT_EQ(of("BLNHC"), (PerLayoutAxis<U>{5 * 7 * 11, 2 * 5 * 7 * 11, 11, 5 * 11, 1}));
  EXPECT_EQ(of("BHLNC"), (PerLayoutAxis<U>{7 * 11, 2 * 5 * 7 * 11, 2 * 7 * 11, 11, 1}));
}

TEST(Layouts, PlanesOfHeadSlotsAreRegionsOfTheirOwn) {
  const PerLayoutAxis<U> sizes{2, 3, 2, 16, 1024};
  const RegisteredRegion<U> page = registered_region<U>(**find_layout("LBHNC"), sizes, 1, 0);
  EXPECT_EQ(page.base, 3U * 2 * 16 * 1024);
  EXPECT_EQ(page.block_len, 2U * 16 * 1024);
  EXPECT_EQ(page.block_stride, 2U * 16 * 1024);
  const RegisteredRegion<U> plane = registered_region<U>(**find_layout("LHBNC"), sizes, 1, 1);
  EXPECT_EQ(plane.base, 3U * 2 * 16 * 1024 + 3 * 16 * 1024);
  EXPECT_EQ(plane.block_len, 16U * 1024);
  EXPECT_EQ(plane.block_stride, 16U * 1024);
}

// Public report P15: blocks of 1,002,560 elements, 32-bit element offsets, block ids around 2,142.
TEST(Words, FirstBlockThatWraps) {
  const U first = first_wrapping_block<U>(1'002'560, Word::signed_32);
  EXPECT_EQ(first, 2142U);
  EXPECT_GE(first * 1'002'560 + 1'002'559, U{1} << 31);
  EXPECT_LT((first - 1) * 1'002'560 + 1'002'559, U{1} << 31);
  EXPECT_EQ(first_wrapping_block<U>(1'002'560, Word::unsigned_32), 4284U);
  EXPECT_EQ(first_wrapping_block<U>(U{1} << 16, Word::unsigned_32), U{1} << 16);
}

}  // namespace
}  // namespace pageproof::page
