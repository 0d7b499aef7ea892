// What the data cannot tell is said, never guessed; what is out of place is found in every block and side.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/reports/identify/pages.hpp"

namespace pageproof::reports {
namespace {

using testing::HasSubstr;

// P14: vectorised V against linear V.
TEST(P14, VectorisedAndLinearVDifferAtN16) {
  const Reference reference = random_reference({2, 16, 128, 2}, 3, 14);
  for (const auto& [written_tag, other_tag] :
       {std::pair{"aiter-shuffled", "classic-paged"}, std::pair{"classic-paged", "aiter-shuffled"}}) {
    const Identification found = identified(written(Form::tensors, reference, written_tag), reference);
    EXPECT_TRUE(has_answer(found, written_tag, Accident::none)) << summary(found);
    EXPECT_FALSE(has_answer(found, other_tag, Accident::none)) << summary(found);
    EXPECT_TRUE(has_side_answer(found, Side::key, other_tag, Accident::none)) << summary(found);
  }
}

TEST(P14, VectorisedAndLinearVAreOneAtN8) {
  const Reference reference = random_reference({2, 8, 128, 2}, 3, 14);
  for (const char* tag : {"aiter-shuffled", "classic-paged"}) {
    const Identification found = identified(written(Form::tensors, reference, tag), reference);
    EXPECT_EQ(found.verdict, Verdict::ambiguous) << summary(found);
    for (const char* either : {"aiter-shuffled", "classic-paged"}) {
      EXPECT_TRUE(has_answer(found, either, Accident::none)) << summary(found);
    }
    EXPECT_THAT(to_text(found), HasSubstr("every element at the same byte for H=2 N=8 D=128 e=2 x=8"));
  }
}

// P09: found for every head count above 1 (accidents_test.cpp has three), invisible at 1.
TEST(P09, OneHeadCannotShowTheHeadTerm) {
  const Reference reference = random_reference({1, 16, 128, 2}, 3, 9);
  const Identification found = identified(written(Form::tensors, reference, "aiter-shuffled"), reference);
  EXPECT_TRUE(has_answer(found, "aiter-shuffled", Accident::none)) << summary(found);
  EXPECT_THAT(to_text(found),
              HasSubstr("with one head, a store that misses the head term leaves the same bytes"));
}

TEST(P09, EveryOtherHeadCountShowsIt) {
  for (const std::uint64_t heads : {2, 3, 4, 8}) {
    const Shape shape{heads, 16, 128, 2};
    const Reference reference = random_reference(shape, 2, heads);
    Dump dump(Form::tensors, shape, 2);
    Table table = table_of(**page::find_format("xqa-1"), shape);
    // The gather's store token·H·D + d: what belongs at head h lies at head 0.
    const std::uint64_t row = shape.head_dim * shape.element_bytes;
    for (std::uint64_t& byte : table) byte -= byte / row % heads * row;
    write(dump, reference, table);
    const Identification found = identified(dump, reference);
    EXPECT_EQ(found.verdict, Verdict::accident) << summary(found);
    for (const Side side : {Side::key, Side::value}) {
      EXPECT_TRUE(has_side_answer(found, side, "xqa-1", Accident::head_term_missing)) << summary(found);
    }
    EXPECT_THAT(to_sentence(found), HasSubstr(fmt::format("head {} is what lies there", heads - 1)));
  }
}

TEST(Ambiguity, ConstantDataTellsNothing) {
  const Shape shape{2, 16, 64, 2};
  Reference reference = random_reference(shape, 3, 1);
  for (std::size_t i = 0; i < reference.bytes.size(); ++i)
    reference.bytes[i] = std::byte(i % 2 == 0 ? 0x80 : 0x3F);
  const Identification found = identified(written(Form::tensors, reference, "aiter-shuffled"), reference);
  EXPECT_EQ(found.verdict, Verdict::ambiguous) << summary(found);
  EXPECT_FALSE(found.data_can_tell);
  for (const page::PageFormat& format : page::catalogue()) {
    if (format.regions != page::Regions::planes || format.key_only() || !page::fits(format, shape)) continue;
    EXPECT_TRUE(has_answer(found, format.tag, Accident::none)) << format.tag;
  }
  EXPECT_THAT(to_text(found), HasSubstr("no order can be told from it"));
}

TEST(Ambiguity, OneValueAHeadHidesAllOrdersWithinIt) {
  // One value in each head of each side: orders with the head outermost leave the same bytes.
  const Shape shape{3, 16, 64, 2};
  Reference reference = random_reference(shape, 3, 2);
  const std::uint64_t row = shape.head_dim * shape.element_bytes;
  for (std::size_t i = 0; i < reference.bytes.size(); ++i) {
    const std::size_t head = i / (2 * row * shape.tokens);
    reference.bytes[i] = std::byte(2 * head + i / row % 2);
  }
  const Identification found = identified(written(Form::tensors, reference, "classic-paged"), reference);
  EXPECT_EQ(found.verdict, Verdict::ambiguous) << summary(found);
  EXPECT_TRUE(has_answer(found, "xqa-0", Accident::none)) << summary(found);
  EXPECT_FALSE(has_answer(found, "xqa-1", Accident::none)) << summary(found);
  const bool same_data = std::ranges::any_of(
      found.answers, [](const Answer& answer) { return answer.likeness == Likeness::same_data; });
  EXPECT_TRUE(same_data) << summary(found);
}

TEST(Ambiguity, TwinBlocksAreCounted) {
  const Shape shape{2, 16, 64, 2};
  Reference reference = random_reference(shape, 4, 3);
  std::copy_n(reference.bytes.begin(), shape.page_bytes(),
              reference.bytes.begin() + static_cast<std::ptrdiff_t>(3 * shape.page_bytes()));
  Dump dump(Form::tensors, shape, 4);
  write(dump, reference, table_of(**page::find_format("aiter-shuffled"), shape),
        [](std::uint64_t b) { return b ^ 1; });
  const Identification found = identified(dump, reference);
  EXPECT_TRUE(has_answer(found, "aiter-shuffled", Accident::blocks_moved)) << summary(found);
  EXPECT_THAT(to_sentence(found), HasSubstr("2 blocks fit several of the reference"));
}

// One wrong byte, in each side, in the first and the last block: the closest format and the coordinate.
Complaints a_wrong_byte_is_found(const Diligence& diligence) {
  Complaints complaints;
  const Shape shape{3, 16, 64, 2};
  const Reference reference = random_reference(shape, 5, 17);
  for (const char* tag : {"aiter-shuffled", "classic-paged", "xqa-1"}) {
    const Table table = table_of(**page::find_format(tag), shape);
    for (const Form form : {Form::tensors, Form::side_by_side, Form::one_after_another}) {
      for (const Coordinate& c : {Coordinate{0, Side::key, 2, 15, 63}, Coordinate{4, Side::value, 1, 7, 33},
                                  Coordinate{4, Side::key, 0, 0, 0}, Coordinate{0, Side::value, 2, 9, 1}}) {
        Dump dump = written(form, reference, tag);
        std::size_t i = 0;
        std::byte* wrong = nullptr;
        each_element(shape, [&](Coordinate other) {
          const std::uint64_t at = table[i++];
          other.block = c.block;
          if (other == c) wrong = dump.at(c.block, at) + 1;
        });
        *wrong ^= std::byte{0x10};
        const Identification found = identified(dump, reference, diligence);
        const auto out = found.closest ? first_out_of_place(found, *found.closest) : std::nullopt;
        const bool named = found.verdict == Verdict::unexplained && out && out->coordinate == c &&
                           out->byte_of_element == 1 && (out->expected ^ out->got) == 0x10 &&
                           found.candidates[*found.closest].format->tag == tag && !found.as_wanted();
        const std::byte* base = out && out->tensor == 1 ? dump.second.data() : dump.first.data();
        if (!named || base + out->file_byte != wrong) {
          complaints.push_back(
              fmt::format("{} {} {}\n{}", tag, to_string(form), to_string(c), summary(found)));
        }
        const Count& count = found.closest ? found.candidates[*found.closest].of(c.side).count : Count{};
        if (count.tested != 5 * shape.side_bytes() || count.in_place + 1 != count.tested) {
          complaints.push_back(fmt::format("{}: {} of {}", to_string(c), count.in_place, count.tested));
        }
      }
    }
  }
  return complaints;
}

TEST(WrongByte, IsFoundWithItsCoordinate) {
  const Complaints complaints = a_wrong_byte_is_found({});
  EXPECT_TRUE(complaints.empty()) << complaints.size() << ", the first: " << complaints.front();
}

TEST(Mutant, LookingAtBlock0AloneIsCaughtByAWrongByte) {
  EXPECT_FALSE(a_wrong_byte_is_found({.all_blocks = false}).empty());
}

TEST(Mutant, LookingAtKAloneIsCaughtByAWrongByte) {
  EXPECT_FALSE(a_wrong_byte_is_found({.both_sides = false}).empty());
}

TEST(BlockIds, MatchDumpsOfSomeBlocksInAnyOrder) {
  const Shape shape{2, 16, 64, 2};
  Reference reference = random_reference(shape, 5, 23);
  Dump dump(Form::tensors, shape, 3);
  const std::uint64_t ids[] = {70000, 3, 12};  // the dump's blocks, and two that only the reference has
  const Table table = table_of(**page::find_format("aiter-shuffled"), shape);
  Dump all(Form::tensors, shape, 5);
  write(all, reference, table);
  const std::uint64_t from[] = {4, 1, 2};
  for (std::uint64_t i = 0; i < 3; ++i) {
    for (std::uint64_t slot = 0; slot < 2; ++slot) {
      std::copy_n(all.slot(from[i], slot), shape.side_bytes(), dump.slot(i, slot));
    }
    dump.block_ids.push_back(ids[i]);
  }
  KnownPages known = reference.pool();
  known.pool.block_ids = {99, 3, 12, 5, 70000};
  const Expected<Identification> found = identify(dump.pool(), known);
  ASSERT_TRUE(found);
  EXPECT_TRUE(has_answer(*found, "aiter-shuffled", Accident::none)) << summary(*found);
  EXPECT_EQ(found->compared_blocks, 3u);

  known.pool.block_ids = {99, 12, 3, 5, 70000};
  const Expected<Identification> exchanged = identify(dump.pool(), known);
  ASSERT_TRUE(exchanged);
  EXPECT_TRUE(has_answer(*exchanged, "aiter-shuffled", Accident::blocks_moved)) << summary(*exchanged);
  EXPECT_THAT(to_sentence(*exchanged), HasSubstr("block 3 of the file holds block 12 of the reference"));

  known.pool.block_ids = {1, 2, 4, 5, 6};
  EXPECT_THAT(to_string(identify(dump.pool(), known).error()), HasSubstr("none of them is in reference"));
  known.pool.block_ids = {1, 2, 4, 5, 1};
  EXPECT_THAT(to_string(identify(dump.pool(), known).error()), HasSubstr("block_ids: 1: stands twice"));
  known.pool.block_ids = {1, 2};
  EXPECT_THAT(to_string(identify(dump.pool(), known).error()),
              HasSubstr("not one id for each of the 5 blocks"));
}

TEST(BlockIds, BlocksWithoutACounterpartAreNeverClaimed) {
  const Shape shape{2, 16, 64, 2};
  const Reference reference = random_reference(shape, 3, 24);
  const Dump all = written(Form::tensors, reference, "aiter-shuffled");
  KnownPages known = reference.pool();
  known.pool.first = known.pool.first.first(2 * shape.page_bytes());
  const Expected<Identification> found = identify(all.pool(), known);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->compared_blocks, 2u);
  EXPECT_THAT(to_sentence(*found), HasSubstr("2 blocks, 16384 bytes"));
  EXPECT_THAT(to_text(*found), HasSubstr("1 blocks of the file have no counterpart"));
}

TEST(NotApplicable, RulesAndValuesAreListed) {
  const Reference reference = random_reference({2, 8, 64, 2}, 2, 25);
  const Identification found = identified(written(Form::tensors, reference, "aiter-shuffled"), reference);
  EXPECT_THAT(to_text(found), HasSubstr("cpu-amx: format cpu-amx: tokens: 8: not a multiple of 32"));
  EXPECT_THAT(to_text(found), HasSubstr("mfma-16x16: format mfma-16x16: heads: 2: this format has one head"));
}

TEST(Input, IsRefusedInOneLine) {
  const Shape shape{2, 16, 64, 2};
  const Reference reference = random_reference(shape, 2, 26);
  Dump dump = written(Form::tensors, reference, "aiter-shuffled");
  DumpedPages pool = dump.pool();
  pool.first = pool.first.first(pool.first.size() - 1);
  EXPECT_THAT(to_string(identify(pool, reference.pool()).error()), HasSubstr("not as long as k_plane"));
  pool.second = pool.first;
  EXPECT_THAT(to_string(identify(pool, reference.pool()).error()),
              HasSubstr("not a positive multiple of a page of H=2 N=16 D=64 e=2, 8192 B"));
  KnownPages known = reference.pool();
  known.format = *page::find_format("mfma-16x16");
  EXPECT_FALSE(identify(dump.pool(), known));
}

}  // namespace
}  // namespace pageproof::reports
