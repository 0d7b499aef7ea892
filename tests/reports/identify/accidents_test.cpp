// Law: every accident that is known from the field is named for what it is, from the bytes that it leaves.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "tests/reports/identify/pages.hpp"

namespace pageproof::reports {
namespace {

using testing::HasSubstr;

constexpr Shape kShape{3, 16, 64, 2};

const page::PageFormat& format(const std::string& tag) {
  return **page::find_format(tag);
}

// Exchanges the two slots of every block.
Table slots_exchanged(Table table, const Shape& shape) {
  for (std::uint64_t& byte : table) byte = (byte + shape.side_bytes()) % shape.page_bytes();
  return table;
}

// K's entries for V and V's for K.
Table sides_exchanged(const Table& table) {
  Table exchanged(table.begin() + static_cast<std::ptrdiff_t>(table.size() / 2), table.end());
  exchanged.insert(exchanged.end(), table.begin(),
                   table.begin() + static_cast<std::ptrdiff_t>(table.size() / 2));
  return exchanged;
}

// What a converter does to the bytes at `at`: reads them as `from`, writes them as `to`.
Table converted(const Table& at, const Table& from, const Table& to) {
  std::map<std::uint64_t, std::uint64_t> moved;
  for (std::size_t i = 0; i < from.size(); ++i) moved[from[i]] = to[i];
  Table result;
  for (const std::uint64_t byte : at) result.push_back(moved.at(byte));
  return result;
}

Identification of_table(Form form, const Reference& reference, const Table& table) {
  Dump dump(form, reference.shape, reference.blocks);
  write(dump, reference, table);
  return identified(dump, reference);
}

class Planes : public testing::TestWithParam<std::tuple<std::string, Form>> {
 protected:
  std::string tag() const { return std::get<0>(GetParam()); }
  Form form() const { return std::get<1>(GetParam()); }
  Table own() const { return table_of(format(tag()), kShape); }
  const Reference reference_ = random_reference(kShape, 4, 11);
};

TEST_P(Planes, ConvertedTwice) {
  const Table standard = table_of(format("standard"), kShape);
  const Identification found = of_table(form(), reference_, converted(own(), standard, own()));
  EXPECT_EQ(found.verdict, Verdict::accident) << summary(found);
  EXPECT_TRUE(has_answer(found, tag(), Accident::converted_twice)) << summary(found);
}

TEST_P(Planes, PlanesExchanged) {
  const Identification found = of_table(form(), reference_, slots_exchanged(own(), kShape));
  EXPECT_TRUE(has_answer(found, tag(), Accident::planes_exchanged)) << summary(found);
}

TEST_P(Planes, DataExchanged) {
  const Identification found = of_table(form(), reference_, sides_exchanged(own()));
  EXPECT_TRUE(has_answer(found, tag(), Accident::data_exchanged)) << summary(found);
}

TEST_P(Planes, PagesReadInAnotherLayout) {
  const Table misread =
      converted(table_of(format("standard"), kShape), table_of(format("standard-nhd"), kShape), own());
  const Identification found = of_table(form(), reference_, misread);
  EXPECT_EQ(found.verdict, Verdict::accident) << summary(found);
  EXPECT_TRUE(has_answer(found, tag(), Accident::misread)) << summary(found);
}

TEST_P(Planes, BlockIdsPermuted) {
  Dump dump(form(), kShape, 4);
  const std::uint64_t to[] = {2, 0, 3, 1};
  write(dump, reference_, own(), [&](std::uint64_t b) { return to[b]; });
  const Identification found = identified(dump, reference_);
  EXPECT_EQ(found.verdict, Verdict::accident) << summary(found);
  EXPECT_TRUE(has_answer(found, tag(), Accident::blocks_moved)) << summary(found);
  EXPECT_THAT(to_sentence(found),
              HasSubstr("4 of 4 blocks are elsewhere, block 0 of the file holds block 1"));
}

TEST_P(Planes, BlockIdsShifted) {
  Dump dump(form(), kShape, 4);
  write(dump, reference_, own(), [](std::uint64_t b) { return (b + 1) % 4; });
  const Identification found = identified(dump, reference_);
  EXPECT_TRUE(has_answer(found, tag(), Accident::blocks_moved)) << summary(found);
  EXPECT_THAT(to_sentence(found), HasSubstr("block b of the file holds block b - 1 of the reference"));
}

// P09: the head term is missing in the store of K, of V, of both; the last head stays.
TEST_P(Planes, HeadTermMissing) {
  for (const int sides : {1, 2, 3}) {
    Dump dump(form(), kShape, 4);
    const Table right = own();
    Table table = right;
    const std::uint64_t row = kShape.tokens * kShape.head_dim;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const std::size_t side = i / (table.size() / 2);
      const std::size_t within = i % (table.size() / 2);
      if ((sides >> side & 1) != 0) table[i] = right[side * (table.size() / 2) + within % row];
    }
    write(dump, reference_, table);
    const Identification found = identified(dump, reference_);
    EXPECT_EQ(found.verdict, Verdict::accident) << summary(found);
    for (const Side side : {Side::key, Side::value}) {
      const bool broken = (sides >> static_cast<int>(side) & 1) != 0;
      const Accident accident = broken ? Accident::head_term_missing : Accident::none;
      EXPECT_TRUE(has_side_answer(found, side, tag(), accident)) << summary(found);
    }
    EXPECT_THAT(to_sentence(found), HasSubstr("head 2 is what lies there"));
  }
}

INSTANTIATE_TEST_SUITE_P(accidents, Planes,
                         testing::Combine(testing::Values("aiter-shuffled", "classic-paged", "xqa-0"),
                                          testing::Values(Form::tensors, Form::side_by_side,
                                                          Form::one_after_another)),
                         [](const auto& param) {
                           std::string name =
                               std::get<0>(param.param) + "_" + to_string(std::get<1>(param.param));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(Accident, KInTheOrderOfVAndTheReverse) {
  const Reference reference = random_reference(kShape, 3, 1);
  const Table both = slots_exchanged(sides_exchanged(table_of(format("aiter-shuffled"), kShape)), kShape);
  const Identification found = of_table(Form::tensors, reference, both);
  EXPECT_TRUE(has_answer(found, "aiter-shuffled", Accident::orders_exchanged)) << summary(found);
}

TEST(Accident, LandedAndNeverConverted) {
  for (const std::uint64_t heads : {1, 2, 3}) {
    const Shape shape{heads, 16, 64, 2};
    const Reference reference = random_reference(shape, 3, heads);
    for (const char* tag : {"standard", "standard-nhd"}) {
      const Table page = table_of(format(tag), shape);
      for (const Form form : {Form::tensors, Form::one_after_another}) {
        const Identification landed = of_table(form, reference, page);
        EXPECT_EQ(landed.verdict, Verdict::accident) << summary(landed);
        // With one head both page formats are the same order.
        EXPECT_TRUE(has_answer(landed, heads == 1 ? "standard" : tag, Accident::landed)) << summary(landed);
        const Identification swapped = of_table(form, reference, slots_exchanged(page, shape));
        EXPECT_TRUE(has_answer(swapped, heads == 1 ? "standard" : tag, Accident::halves_exchanged))
            << summary(swapped);
      }
    }
  }
}

TEST(Accident, SidesOfAPageExchanged) {
  const Reference reference = random_reference(kShape, 3, 5);
  const Identification found =
      of_table(Form::side_by_side, reference, sides_exchanged(table_of(format("standard"), kShape)));
  EXPECT_TRUE(has_answer(found, "standard", Accident::data_exchanged)) << summary(found);
}

// One side right, the other in the order of another format.
TEST(Accident, KRightAndVWrittenHDN) {
  const Shape shape{8, 16, 128, 2};
  const Reference reference = random_reference(shape, 3, 5);
  Table table = table_of(format("aiter-shuffled"), shape);
  const Table rows = table_of(format("xqa-0"), shape);
  std::copy(rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2), rows.end(),
            table.begin() + static_cast<std::ptrdiff_t>(table.size() / 2));
  Dump dump(Form::tensors, shape, 3);
  write(dump, reference, table);
  const Identification found = identified(dump, reference, {}, "aiter-shuffled");
  EXPECT_EQ(found.verdict, Verdict::sides_differ) << summary(found);
  EXPECT_TRUE(has_side_answer(found, Side::key, "aiter-shuffled", Accident::none));
  EXPECT_TRUE(has_side_answer(found, Side::value, "xqa-0", Accident::none));
  EXPECT_FALSE(found.as_wanted());
  EXPECT_THAT(to_sentence(found), HasSubstr("K is right; V was written [H, N, D], as in xqa-0"));

  const Dump classic = written(Form::tensors, reference, "classic-paged");
  const Identification other = identified(classic, reference, {}, "aiter-shuffled");
  EXPECT_EQ(other.verdict, Verdict::identified) << summary(other);
  EXPECT_FALSE(other.as_wanted());
  EXPECT_THAT(to_sentence(other),
              HasSubstr("Not aiter-shuffled as expected: K is right, V was written [H, D, N]."));
}

// P12: blocks with the stride of the other arrangement. K is stored before V, or V before K.
Dump strided(Form form, const Reference& reference, const std::string& tag, bool dense_region,
             std::uint64_t stride_slots, bool key_last, bool read) {
  const Shape& shape = reference.shape;
  const std::uint64_t B = reference.blocks;
  const std::uint64_t S = shape.side_bytes();
  const Table table = table_of(format(tag), shape);
  // The region in runs of S bytes; the allocation's own place of K block b and V block b.
  const auto right = [&](Side side, std::uint64_t b) {
    const std::uint64_t s = static_cast<std::uint64_t>(side);
    return dense_region ? s * B + b : 2 * b + s;
  };
  const auto wrong = [&](Side side, std::uint64_t b) { return right(side, 0) + stride_slots * b; };
  Bytes region(2 * B * S, std::byte{0xA5});
  const auto store = [&](Side side) {
    for (std::uint64_t b = 0; b < B; ++b) {
      const std::uint64_t slot = read ? right(side, b) : wrong(side, b);
      if (slot >= 2 * B) continue;  // beyond the allocation
      std::size_t i = 0;
      each_element(shape, [&](Coordinate c) {
        const std::uint64_t at = table[i++] % S;
        c.block = b;
        if (c.side == side)
          std::memcpy(region.data() + slot * S + at, reference.element(c), shape.element_bytes);
      });
    }
  };
  store(key_last ? Side::value : Side::key);
  store(key_last ? Side::key : Side::value);
  Dump dump(form, shape, B);
  for (std::uint64_t b = 0; b < B; ++b) {
    for (const Side side : {Side::key, Side::value}) {
      const std::uint64_t slot = read ? wrong(side, b) : right(side, b);
      if (slot >= 2 * B) continue;
      std::memcpy(form == Form::tensors ? dump.slot(b, static_cast<std::uint64_t>(side))
                                        : dump.first.data() + slot * S,
                  region.data() + slot * S, S);
    }
  }
  return dump;
}

TEST(P12, ABlockStrideOfTheOtherArrangementIsNamed) {
  for (const std::uint64_t blocks : {4, 5}) {
    const Reference reference = random_reference({2, 16, 64, 2}, blocks, 12);
    for (const char* tag : {"aiter-shuffled", "xqa-1"}) {
      for (const bool key_last : {false, true}) {
        for (const Form form : {Form::tensors, Form::side_by_side}) {
          const Identification dense =
              identified(strided(form, reference, tag, false, 1, key_last, false), reference);
          EXPECT_EQ(dense.verdict, Verdict::accident) << summary(dense);
          EXPECT_TRUE(has_answer(dense, tag, Accident::block_stride)) << summary(dense);
          EXPECT_THAT(to_sentence(dense), HasSubstr("block b written at b·S instead of b·2S"));
        }
        const Identification wide =
            identified(strided(Form::tensors, reference, tag, true, 2, key_last, false), reference);
        EXPECT_TRUE(has_answer(wide, tag, Accident::block_stride)) << summary(wide);
        EXPECT_THAT(to_sentence(wide), HasSubstr("block b written at b·2S instead of b·S"));
      }
      const Identification dense_read =
          identified(strided(Form::tensors, reference, tag, false, 1, false, true), reference);
      EXPECT_TRUE(has_answer(dense_read, tag, Accident::block_stride)) << summary(dense_read);
      EXPECT_THAT(to_sentence(dense_read), HasSubstr("block b read at b·S instead of b·2S"));
      const Identification wide_read =
          identified(strided(Form::tensors, reference, tag, true, 2, false, true), reference);
      EXPECT_TRUE(has_answer(wide_read, tag, Accident::block_stride)) << summary(wide_read);
      EXPECT_THAT(to_sentence(wide_read), HasSubstr("block b read at b·2S instead of b·S"));
    }
  }
}

TEST(P12, OneBlockCannotShowAStride) {
  const Reference reference = random_reference({2, 16, 64, 2}, 1, 12);
  const Identification found =
      identified(strided(Form::side_by_side, reference, "aiter-shuffled", false, 1, false, false), reference);
  EXPECT_TRUE(has_answer(found, "aiter-shuffled", Accident::none)) << summary(found);
  EXPECT_THAT(to_text(found), HasSubstr("with one block, a wrong block stride leaves the same bytes"));
}

// P13: pages (H·N·2D, 2D, N·2D, 1) read with the strides (·, H·D, D, 1).
TEST(P13, PagesReadWithTheStridesOfAnotherLayout) {
  const Shape shape{2, 16, 64, 2};
  const Reference reference = random_reference(shape, 3, 13);
  const std::uint64_t row = shape.head_dim * shape.element_bytes;
  for (const char* tag : {"xqa-1", "aiter-shuffled"}) {
    const Table table = table_of(format(tag), shape);
    Dump dump(Form::tensors, shape, 3);
    for (std::uint64_t b = 0; b < 3; ++b) {
      std::size_t i = 0;
      each_element(shape, [&](const Coordinate& c) {
        const std::uint64_t from = b * shape.page_bytes() + (c.token * shape.heads + c.head) * row +
                                   (c.side == Side::value ? row : 0) + c.dim * shape.element_bytes;
        std::memcpy(dump.at(b, table[i++]), reference.bytes.data() + from, shape.element_bytes);
      });
    }
    const Identification found = identified(dump, reference);
    EXPECT_EQ(found.verdict, Verdict::accident) << summary(found);
    EXPECT_TRUE(has_answer(found, tag, Accident::foreign_strides)) << summary(found);
  }
}

// P13, the other way: rows of [N, H, D] written into pages, V upon K.
TEST(P13, PagesWrittenWithTheStridesOfAnotherLayout) {
  const Shape shape{2, 16, 64, 2};
  const Reference reference = random_reference(shape, 3, 13);
  const std::uint64_t row = shape.head_dim * shape.element_bytes;
  Dump dump(Form::side_by_side, shape, 3);
  for (std::uint64_t b = 0; b < 3; ++b) {
    each_element(shape, [&](Coordinate c) {
      c.block = b;
      const std::uint64_t to = (c.token * shape.heads + c.head) * row + (c.side == Side::value ? row : 0) +
                               c.dim * shape.element_bytes;
      std::memcpy(dump.at(b, to), reference.element(c), shape.element_bytes);
    });
  }
  const Identification found = identified(dump, reference);
  EXPECT_EQ(found.verdict, Verdict::accident) << summary(found);
  EXPECT_TRUE(has_answer(found, "xqa-1", Accident::foreign_strides)) << summary(found);
}

TEST(Accident, GranulesOfTheOtherElementSize) {
  for (const std::uint64_t e : {1, 2}) {
    const Shape shape{3, 32, 64, e};
    const Reference reference = random_reference(shape, 3, 21);
    // The writer's line with x = 16/(3 - e).
    const std::uint64_t x = 16 / (3 - e);
    Table table;
    each_element(shape, [&](const Coordinate& c) {
      const std::uint64_t N = shape.tokens, D = shape.head_dim;
      const std::uint64_t in = c.side == Side::key ? c.dim / x * N * x + c.token * x + c.dim % x
                                                   : c.token / x * D * x + c.dim * x + c.token % x;
      table.push_back((c.side == Side::value ? shape.side_bytes() : 0) + (c.head * N * D + in) * e);
    });
    const Identification found = of_table(Form::tensors, reference, table);
    EXPECT_EQ(found.verdict, Verdict::accident) << summary(found);
    EXPECT_TRUE(has_answer(found, "aiter-shuffled", Accident::other_granule)) << summary(found);
  }
}

TEST(Accident, RowsTakenAsElementsOfTheOtherSize) {
  // Two-byte elements shuffled as twice as many one-byte elements: V's elements are torn.
  const Shape shape{3, 16, 64, 2};
  const Shape bytes{3, 16, 128, 1};
  const Reference reference = random_reference(shape, 3, 22);
  const Table table = table_of(format("aiter-shuffled"), bytes);
  Dump dump(Form::tensors, shape, 3);
  for (std::uint64_t b = 0; b < 3; ++b) {
    std::size_t i = 0;
    each_element(bytes, [&](Coordinate c) {
      c.block = b;
      const Coordinate element{b, c.side, c.head, c.token, c.dim / 2};
      *dump.at(b, table[i++]) = reference.element(element)[c.dim % 2];
    });
  }
  const Identification found = identified(dump, reference);
  EXPECT_EQ(found.verdict, Verdict::accident) << summary(found);
  EXPECT_TRUE(has_answer(found, "aiter-shuffled", Accident::other_elements)) << summary(found);
}

TEST(Accident, RowsOfOneByteTakenAsHalfAsManyOfTwo) {
  // One-byte elements shuffled in pairs, as elements of 2 B: V's pairs stay together.
  const Shape shape{3, 16, 128, 1};
  const Shape pairs{3, 16, 64, 2};
  const Reference reference = random_reference(shape, 3, 23);
  const Table table = table_of(format("aiter-shuffled"), pairs);
  Dump dump(Form::tensors, shape, 3);
  for (std::uint64_t b = 0; b < 3; ++b) {
    std::size_t i = 0;
    each_element(pairs, [&](const Coordinate& c) {
      std::memcpy(dump.at(b, table[i++]), reference.element({b, c.side, c.head, c.token, 2 * c.dim}), 2);
    });
  }
  const Identification found = identified(dump, reference);
  EXPECT_EQ(found.verdict, Verdict::accident) << summary(found);
  EXPECT_TRUE(has_answer(found, "aiter-shuffled", Accident::other_elements)) << summary(found);
}

TEST(Regrouped, AnotherNIsNamed) {
  for (const auto& [file_tokens, reference_tokens] :
       {std::pair{32, 16}, std::pair{16, 32}, std::pair{64, 16}}) {
    const Shape shape{3, static_cast<std::uint64_t>(reference_tokens), 64, 2};
    const Shape other{3, static_cast<std::uint64_t>(file_tokens), 64, 2};
    const Reference reference = random_reference(shape, 8, 31);
    const std::uint64_t blocks = 8 * shape.tokens / other.tokens;
    const Table table = table_of(format("aiter-shuffled"), other);
    Dump dump(Form::tensors, other, blocks);
    for (std::uint64_t b = 0; b < blocks; ++b) {
      std::size_t i = 0;
      each_element(other, [&](Coordinate c) {
        const std::uint64_t token = b * other.tokens + c.token;
        const Coordinate from{token / shape.tokens, c.side, c.head, token % shape.tokens, c.dim};
        std::memcpy(dump.at(b, table[i++]), reference.element(from), 2);
      });
    }
    const Identification found = identified(dump, reference);
    const bool named = std::ranges::any_of(found.answers, [&](const Answer& answer) {
      const Candidate& candidate = found.candidates[answer.candidate];
      return candidate.format->tag == "aiter-shuffled" && candidate.grouping.file_tokens == other.tokens;
    });
    EXPECT_TRUE(named) << summary(found);
    // Two pages of 16 in a row are one block of 32 in page-16 form: both answers, and no guess.
    const bool page16 = file_tokens == 16;
    EXPECT_EQ(has_answer(found, "aiter-page16", Accident::none), page16) << summary(found);
    EXPECT_TRUE(found.as_wanted());
  }
}

}  // namespace
}  // namespace pageproof::reports
