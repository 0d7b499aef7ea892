// The writer run over a slot mapping: what it skips keeps its bytes, what it writes can be read back.
#include "oracle/offset/writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/model/laws.hpp"

namespace pageproof::oracle {
namespace {

constexpr std::byte kSentinel{0xA5};
constexpr std::uint64_t kBlocks = 4;

std::vector<std::byte> random_bytes(std::uint64_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> data(bytes);
  std::ranges::generate(data, [&] { return static_cast<std::byte>(random()); });
  return data;
}

struct PlaneBytes {
  explicit PlaneBytes(const Shape& shape)
      : key(kBlocks * shape.side_bytes(), kSentinel), value(key.size(), kSentinel) {}
  Planes planes() { return {key, value}; }
  const std::vector<std::byte>& of(Side side) const { return side == Side::key ? key : value; }
  std::vector<std::byte> key, value;
};

// Slots in random order, every third skipped.
std::vector<std::int64_t> slots_with_gaps(const Shape& shape) {
  std::vector<std::int64_t> slots(kBlocks * shape.tokens);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<std::int64_t>(i);
  std::ranges::shuffle(slots, std::mt19937_64(7));
  for (std::size_t i = 0; i < slots.size(); i += 3) slots[i] = i % 2 == 0 ? -1 : INT64_MIN;
  return slots;
}

TEST(Writer, skips_negative_slots_and_writes_the_others) {
  for (const Shape& shape : laws::shapes()) {
    const std::vector<std::int64_t> slots = slots_with_gaps(shape);
    const std::uint64_t row_bytes = shape.heads * shape.head_dim * shape.element_bytes;
    const auto key_rows = random_bytes(slots.size() * row_bytes, 1);
    const auto value_rows = random_bytes(slots.size() * row_bytes, 2);
    PlaneBytes out(shape);
    run_writer(shape, key_rows, value_rows, slots, out.planes());

    std::vector<std::int64_t> row_of(slots.size(), -1);
    for (std::size_t row = 0; row < slots.size(); ++row) {
      if (slots[row] >= 0) row_of[static_cast<std::size_t>(slots[row])] = static_cast<std::int64_t>(row);
    }
    std::uint64_t wrong = 0, skipped = 0;
    for (std::uint64_t block = 0; block < kBlocks; ++block) {
      laws::each_coordinate(
          shape,
          [&](const Coordinate& c) {
            const std::int64_t row = row_of[block * shape.tokens + c.token];
            skipped += row < 0;
            const auto& rows = c.side == Side::key ? key_rows : value_rows;
            for (std::uint64_t i = 0; i < shape.element_bytes; ++i) {
              const std::uint64_t at = (c.head * shape.head_dim + c.dim) * shape.element_bytes + i;
              const std::byte expected =
                  row < 0 ? kSentinel : rows[static_cast<std::uint64_t>(row) * row_bytes + at];
              wrong += out.of(c.side)[shuffled_byte(shape, c) + i] != expected;
            }
          },
          block);
    }
    ASSERT_EQ(wrong, 0u) << to_string(shape);
    ASSERT_GT(skipped, 0u);
  }
}

TEST(Writer, unshuffle_undoes_gather_and_rewrite) {
  for (const Shape& shape : laws::shapes()) {
    const auto pages = random_bytes(kBlocks * shape.page_bytes(), 3);
    const std::uint64_t from[] = {3, 0, 2}, to[] = {1, 3, 0};
    PlaneBytes planes(shape);
    gather_and_rewrite(shape, pages, from, to, planes.planes());
    std::vector<std::byte> back(pages.size(), kSentinel);
    unshuffle(shape, planes.key, planes.value, to, from, back);
    auto expected = pages;
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(shape.page_bytes()), shape.page_bytes(),
                kSentinel);
    ASSERT_EQ(back, expected) << to_string(shape) << ": block 1 was not listed";
    const std::uint64_t side = shape.side_bytes();
    ASSERT_TRUE(std::all_of(planes.key.begin() + static_cast<std::ptrdiff_t>(2 * side),
                            planes.key.begin() + static_cast<std::ptrdiff_t>(3 * side),
                            [](std::byte b) { return b == kSentinel; }))
        << "plane block 2 was not listed";
  }
}

TEST(Writer, landing_is_the_page_cut_in_half) {
  for (const Shape& shape : laws::shapes()) {
    const auto pages = random_bytes(kBlocks * shape.page_bytes(), 4);
    const std::uint64_t from[] = {2, 1}, to[] = {0, 3};
    PlaneBytes planes(shape);
    land(shape, pages, from, to, planes.planes());
    const std::uint64_t side = shape.side_bytes();
    for (std::size_t i = 0; i < 2; ++i) {
      const std::byte* const page = pages.data() + from[i] * 2 * side;
      ASSERT_EQ(std::memcmp(planes.key.data() + to[i] * side, page, side), 0) << to_string(shape);
      ASSERT_EQ(std::memcmp(planes.value.data() + to[i] * side, page + side, side), 0) << to_string(shape);
    }
    ASSERT_EQ(planes.key[side], kSentinel) << "block 1 was not listed";
  }
}

// Offsets stay right where 32 bits would wrap.
TEST(Writer, offsets_are_64_bit) {
  const Shape shape{8, 32, 256, 2};
  const std::uint64_t block = std::uint64_t{1} << 30;
  const Coordinate c{block, Side::value, 7, 31, 255};
  const Coordinate first{0, Side::value, 7, 31, 255};
  EXPECT_EQ(shuffled_byte(shape, c), block * shape.side_bytes() + shuffled_byte(shape, first));
  EXPECT_EQ(standard_byte(shape, c), block * shape.page_bytes() + standard_byte(shape, first));
}

}  // namespace
}  // namespace pageproof::oracle
