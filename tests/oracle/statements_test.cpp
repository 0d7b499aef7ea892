// Statements about the shuffled planes and the standard page that were written down apart: they must agree on
// every element of every small shape.
//
//   the digit order (model/page)      the writer's arithmetic      the RFC's view and permute
//   gather the tokens and run the writer again, over a synthetic slot mapping
#include <gtest/gtest.h>

#include <cstring>

#include "model/page/format.hpp"
#include "oracle/offset/permute.hpp"
#include "oracle/offset/writer.hpp"
#include "tests/model/laws.hpp"

namespace pageproof {
namespace {

using laws::Statement;

Statement by_digits(const page::PageFormat& format) {
  return {[format](const Shape& s, const Coordinate& c) {
            return page::locate(format, s, c).byte / s.element_bytes;
          },
          format.regions == page::Regions::page};
}

Statement by_lines(const char* key, const char* value) {
  return by_digits(
      {"lines", *page::parse_order(key), *page::parse_order(value), page::Regions::planes, "", ""});
}

const Statement kShuffledByWriter{
    [](const Shape& s, const Coordinate& c) { return oracle::shuffled_byte(s, c) / s.element_bytes; }, false};
const Statement kStandardByOracle{
    [](const Shape& s, const Coordinate& c) { return oracle::standard_byte(s, c) / s.element_bytes; }, true};

std::string all_same(const Statement& a, const Statement& b) {
  return laws::over_all_shapes([&](const Shape& shape) { return laws::same(a, b, shape); });
}

TEST(Statements, digits_and_writer_agree) {
  EXPECT_EQ(all_same(by_digits(**page::find_format("aiter-shuffled")), kShuffledByWriter), "");
  EXPECT_EQ(all_same(by_digits(**page::find_format("standard")), kStandardByOracle), "");
}

TEST(Statements, writer_gives_each_element_a_place) {
  EXPECT_EQ(laws::over_all_shapes([](const Shape& s) { return laws::one_place_each(kShuffledByWriter, s); }),
            "");
  EXPECT_EQ(laws::over_all_shapes([](const Shape& s) { return laws::one_place_each(kStandardByOracle, s); }),
            "");
}

// Each of these lines is one slip away from the right ones.
TEST(Statements, mutant_orders_are_caught) {
  struct Mutant {
    const char* key;
    const char* value;
  };
  for (const Mutant& mutant : {Mutant{"h d/x t d%x", "h t/x d%x d/x t%x"},  // V: dims taken apart
                               Mutant{"h d/x t d%x", "h d t"},              // V: classic paged
                               Mutant{"h d/x t d%x", "h d/x t d%x"},        // V in the order of K
                               Mutant{"h t/x d t%x", "h t/x d t%x"},        // K in the order of V
                               Mutant{"h t d", "h t/x d t%x"},              // K not shuffled
                               Mutant{"d/x h t d%x", "h t/x d t%x"},        // K: heads inside
                               Mutant{"h d/x t d%x", "t/x h d t%x"}}) {     // V: heads inside
    EXPECT_NE(all_same(by_lines(mutant.key, mutant.value), kShuffledByWriter), "")
        << mutant.key << " | " << mutant.value;
  }
}

TEST(Statements, mutant_arithmetic_is_caught) {
  const Statement off_by_one{[](const Shape& s, const Coordinate& c) {
                               Coordinate next = c;
                               next.token = (c.token + 1) % s.tokens;
                               return kShuffledByWriter.element(s, next);
                             },
                             false};
  EXPECT_EQ(laws::over_all_shapes([&](const Shape& s) { return laws::one_place_each(off_by_one, s); }), "")
      << "a permutation, so only the comparison can see it";
  EXPECT_NE(all_same(off_by_one, kShuffledByWriter), "");
}

constexpr std::uint64_t kBlocks = 3;
constexpr std::byte kSentinel{0xA5};

// An element holds its own index, cut to its bytes; the block is mixed in so that blocks differ.
std::vector<std::byte> indexed_pages(const Shape& shape) {
  std::vector<std::byte> pages(kBlocks * shape.page_bytes());
  for (std::uint64_t i = 0; i < pages.size() / shape.element_bytes; ++i) {
    const std::uint64_t mixed = i * 40503 + (i >> 16) * 101 + (i >> 8);
    std::memcpy(&pages[i * shape.element_bytes], &mixed, shape.element_bytes);
  }
  return pages;
}

struct PlaneBytes {
  explicit PlaneBytes(const Shape& shape)
      : key(kBlocks * shape.side_bytes(), kSentinel), value(key.size(), kSentinel) {}
  oracle::Planes planes() { return {key, value}; }
  std::vector<std::byte> key, value;
  friend bool operator==(const PlaneBytes&, const PlaneBytes&) = default;
};

PlaneBytes by_elements(const Shape& shape, std::span<const std::byte> pages, const Statement& shuffled) {
  PlaneBytes out(shape);
  for (std::uint64_t block = 0; block < kBlocks; ++block) {
    laws::each_coordinate(
        shape,
        [&](const Coordinate& c) {
          std::vector<std::byte>& plane = c.side == Side::key ? out.key : out.value;
          const std::uint64_t to = shuffled.element(shape, c) * shape.element_bytes;
          std::memcpy(&plane[to], &pages[oracle::standard_byte(shape, c)], shape.element_bytes);
        },
        block);
  }
  return out;
}

PlaneBytes by_permute(const Shape& shape, std::span<const std::byte> pages) {
  PlaneBytes out(shape);
  for (std::uint64_t block = 0; block < kBlocks; ++block) {
    const auto page = pages.subspan(block * shape.page_bytes(), shape.page_bytes());
    const std::uint64_t side = shape.side_bytes();
    copy_contiguous(oracle::shuffled_key_view(shape), shape.element_bytes, page,
                    std::span(out.key).subspan(block * side, side));
    copy_contiguous(oracle::shuffled_value_view(shape), shape.element_bytes, page,
                    std::span(out.value).subspan(block * side, side));
  }
  return out;
}

PlaneBytes by_writer(const Shape& shape, std::span<const std::byte> pages) {
  PlaneBytes out(shape);
  const std::uint64_t ids[] = {2, 0, 1};
  oracle::gather_and_rewrite(shape, pages, ids, ids, out.planes());
  return out;
}

// The RFC's two references and the arithmetic, on bytes.
TEST(Statements, permute_and_writer_give_the_same_bytes) {
  for (const Shape& shape : laws::shapes()) {
    const std::vector<std::byte> pages = indexed_pages(shape);
    const PlaneBytes expected = by_elements(shape, pages, kShuffledByWriter);
    ASSERT_EQ(by_permute(shape, pages), expected) << to_string(shape);
    ASSERT_EQ(by_writer(shape, pages), expected) << to_string(shape);
    const auto digits = by_digits(**page::find_format("aiter-shuffled"));
    ASSERT_EQ(by_elements(shape, pages, digits), expected) << to_string(shape);
  }
}

TEST(Statements, bytes_tell_a_mutant) {
  const Shape shape{2, 16, 16, 2};
  const std::vector<std::byte> pages = indexed_pages(shape);
  EXPECT_NE(by_elements(shape, pages, by_lines("h d/x t d%x", "h d t")), by_permute(shape, pages));
}

}  // namespace
}  // namespace pageproof
