// Every page format of the catalogue over every small shape, against element formulas written out by hand as
// their sources state them; and what the catalogue refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "model/page/format.hpp"
#include "model/page/layout.hpp"
#include "model/page/markdown.hpp"
#include "model/page/rearrange.hpp"
#include "model/page/words.hpp"
#include "tests/model/laws.hpp"

namespace pageproof::page {
namespace {

using ::testing::HasSubstr;
using U = std::uint64_t;

// The element offset from the base of the region: H, N, D, x; s, h, t, d.
struct At {
  U H, N, D, x, s, h, t, d;
};
using Formula = U (*)(const At&);

U shuffled_k(const At& a) {
  return a.h * a.N * a.D + (a.d / a.x) * a.N * a.x + a.t * a.x + a.d % a.x;
}
U shuffled_v(const At& a) {
  return a.h * a.N * a.D + (a.t / a.x) * a.D * a.x + a.d * a.x + a.t % a.x;
}
U shuffled(const At& a) {
  return a.s == 0 ? shuffled_k(a) : shuffled_v(a);
}
// page: which 16-token page of the block.
U page16(const At& a, U page) {
  if (a.s == 0) {
    return ((page * a.H + a.h) * (a.D / a.x) + a.d / a.x) * 16 * a.x + (a.t % 16) * a.x + a.d % a.x;
  }
  return ((page * a.H + a.h) * (16 / a.x) + (a.t % 16) / a.x) * a.D * a.x + a.d * a.x + a.t % a.x;
}

const std::map<std::string, Formula>& formulas() {
  static const std::map<std::string, Formula> all{
      {"standard", [](const At& a) { return a.h * 2 * a.N * a.D + a.t * 2 * a.D + a.s * a.D + a.d; }},
      {"standard-nhd", [](const At& a) { return a.t * a.H * 2 * a.D + a.h * 2 * a.D + a.s * a.D + a.d; }},
      {"aiter-shuffled", shuffled},
      {"aiter-shuffled-lbhnc", [](const At& a) { return a.s * a.H * a.N * a.D + shuffled(a); }},
      {"aiter-page16", [](const At& a) { return page16(a, a.t / 16); }},
      {"aiter-page16-lbhnc", [](const At& a) { return page16(a, a.t / 16 + a.s * (a.N / 16)); }},
      {"classic-paged",
       [](const At& a) { return a.s == 0 ? shuffled_k(a) : a.h * a.D * a.N + a.d * a.N + a.t; }},
      {"sglang-vectorized-5d", shuffled},
      {"flashinfer-nhd", [](const At& a) { return ((a.s * a.N + a.t) * a.H + a.h) * a.D + a.d; }},
      {"flashinfer-hnd", [](const At& a) { return ((a.s * a.H + a.h) * a.N + a.t) * a.D + a.d; }},
      {"xqa-0", [](const At& a) { return (a.h * a.N + a.t) * a.D + a.d; }},
      {"xqa-1", [](const At& a) { return (a.t * a.H + a.h) * a.D + a.d; }},
      {"cpu-vec",
       [](const At& a) {
         return a.h * 2 * a.N * a.D + (a.s == 0 ? a.d * a.N + a.t : a.N * a.D + a.t * a.D + a.d);
       }},
      {"cpu-amx",
       [](const At& a) {
         const U key = (a.t / 16) * 16 * a.D + (a.d / 2) * 32 + (a.t % 16) * 2 + a.d % 2;
         const U value = a.N * a.D + (a.d / 16) * 16 * a.N + (a.t / 2) * 32 + (a.d % 16) * 2 + a.t % 2;
         return a.h * 2 * a.N * a.D + (a.s == 0 ? key : value);
       }},
      {"cpu-neon",
       [](const At& a) {
         const U key = (a.t / 8) * 8 * a.D + (a.d / 4) * 32 + ((a.t % 8) / 2) * 8 + (a.t % 2) * 4 + a.d % 4;
         const U value = a.N * a.D + (a.d / 2) * 2 * a.N + (a.t / 4) * 8 + (a.d % 2) * 4 + a.t % 4;
         return a.h * 2 * a.N * a.D + (a.s == 0 ? key : value);
       }},
      {"mfma-16x16",
       [](const At& a) { return (a.t / 16) * 16 * a.D + (a.d / 16) * 256 + (a.t % 16) * 16 + a.d % 16; }},
      {"aiter-mla-shuffled",
       [](const At& a) {
         return (a.t / 16) * 16 * a.D + (a.d / a.x) * 16 * a.x + (a.t % 16) * a.x + a.d % a.x;
       }},
  };
  return all;
}

class EveryFormat : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryFormat, IsItsFormulaAndABijection) {
  const PageFormat& format = **find_format(GetParam());
  ASSERT_TRUE(formulas().contains(format.tag)) << "a format without a formula of its own";
  U shapes = 0;
  for (const Shape& shape : laws::shapes()) {
    if (shape.heads > 3 || shape.head_dim > 80 || !fits(format, shape)) continue;
    ++shapes;
    const U side = shape.side_bytes() / shape.element_bytes;
    std::array<std::vector<bool>, 2> taken;
    taken.fill(std::vector<bool>(format.regions == Regions::page ? 2 * side : side));
    laws::each_coordinate(shape, [&](const Coordinate& c) {
      if (c.side == Side::value && format.key_only()) return;
      const Place place = locate(format, shape, c);
      const At at{shape.heads, shape.tokens, shape.head_dim, shape.granule_elements(), static_cast<U>(c.side),
                  c.head,      c.token,      c.dim};
      const U element = place.byte / shape.element_bytes;
      ASSERT_EQ(element, formulas().at(format.tag)(at)) << to_string(shape) << " " << to_string(c);
      std::vector<bool>& region = taken[static_cast<std::size_t>(place.region)];
      ASSERT_LT(element, region.size());
      ASSERT_FALSE(region[element]) << "two elements at " << element << ", " << to_string(shape);
      region[element] = true;
      ASSERT_EQ(coordinate_at(format, shape, place), c) << to_string(shape);
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(shapes, 5U) << "hardly any shape fits";
}

std::vector<std::string> tags() {
  std::vector<std::string> all;
  for (const PageFormat& format : catalogue()) all.push_back(format.tag);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, ::testing::ValuesIn(tags()), [](const auto& tested) {
  std::string name = tested.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

// The mutant of the test above: the formula of another format must not pass.
TEST(Formats, FormulaOfAnotherFormatDiffers) {
  const Shape shape{2, 32, 64, 2};
  const PageFormat& format = **find_format("aiter-shuffled");
  U differing = 0;
  laws::each_coordinate(shape, [&](const Coordinate& c) {
    const At at{2, 32, 64, 8, static_cast<U>(c.side), c.head, c.token, c.dim};
    differing += locate(format, shape, c).byte / 2 != formulas().at("classic-paged")(at);
  });
  EXPECT_GT(differing, 0U);
}

// Enumeration's side of the theorems on tiles: K iff N = 16 or (H = 1 and D = x), V iff N = 16 or H = 1.
TEST(Formats, TilesAndPagesOf16CoincideExactlyWhenTheTheoremsSay) {
  const PageFormat& tile = **find_format("aiter-shuffled");
  const PageFormat& pages = **find_format("aiter-page16");
  for (const Shape& shape : laws::shapes()) {
    if (shape.heads > 3 || !fits(pages, shape)) continue;
    std::array<bool, 2> same{true, true};
    laws::each_coordinate(shape, [&](const Coordinate& c) {
      const bool equal = locate(tile, shape, c) == locate(pages, shape, c);
      same[static_cast<std::size_t>(c.side)] = same[static_cast<std::size_t>(c.side)] && equal;
    });
    const bool one_head = shape.heads == 1;
    EXPECT_EQ(same[0], shape.tokens == 16 || (one_head && shape.head_dim == shape.granule_elements()))
        << to_string(shape);
    EXPECT_EQ(same[1], shape.tokens == 16 || one_head) << to_string(shape);
  }
}

TEST(Formats, AnyTwoFormatsOfTheSameElementsConvertThereAndBack) {
  for (const PageFormat& from : catalogue()) {
    for (const PageFormat& to : catalogue()) {
      for (const Shape& shape : {Shape{1, 32, 16, 2}, Shape{1, 16, 32, 1}, Shape{3, 32, 64, 2}}) {
        if (!fits(from, shape) || !fits(to, shape)) continue;
        const auto there = rearrangement(from, to, shape);
        ASSERT_EQ(there.has_value(), from.key_only() == to.key_only()) << from.tag << " " << to.tag;
        if (!there) continue;
        const auto back = rearrangement(to, from, shape);
        ASSERT_TRUE(back.has_value());
        for (std::size_t i = 0; i < there->source_of.size(); ++i) {
          ASSERT_EQ(back->source_of[there->source_of[i]], i) << from.tag << " to " << to.tag;
        }
      }
    }
  }
}

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
