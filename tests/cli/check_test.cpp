// pageproof check: every flipped byte is found and named, and planes that are wrong in a known way are
// recognised.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "oracle/offset/writer.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"
#include "tests/model/laws.hpp"

namespace pageproof::cli_tests {
namespace {

using nlohmann::json;

class Check : public testing::Test {
 protected:
  golden::Scratch scratch;
  const std::string file = scratch / "pages";
  const Shape shape{3, 16, 64, 2};
  const Pool right = random_pool(shape, 5);
  Pool pool = right;

  json check(int exit_code, const std::vector<TensorBytes>& extra = {}) {
    std::vector<TensorBytes> tensors = pool.tensors();
    tensors.insert(tensors.end(), extra.begin(), extra.end());
    golden::put(file, tensors_file(tensors, 3));
    return run_json({"check", file}, exit_code);
  }
  std::string& plane(Side side) { return side == Side::key ? pool.keys : pool.values; }

  // Puts every element of every block where `place` says, in elements from the start of the two planes.
  template <class Place>
  void arrange(const Place& place) {
    for (std::uint64_t block = 0; block < pool.blocks; ++block) {
      laws::each_coordinate(
          shape,
          [&](const Coordinate& c) {
            const std::uint64_t half = shape.side_bytes();
            const std::uint64_t byte = place(c) * shape.element_bytes;
            std::string& to = byte < half ? pool.keys : pool.values;
            std::memcpy(&to[block * half + byte % half], &pool.standard[oracle::standard_byte(shape, c)],
                        shape.element_bytes);
          },
          block);
    }
  }
  std::uint64_t in_block(
      const Coordinate& c) const {  // element of the oracle within both planes of the block
    Coordinate first = c;
    first.block = 0;
    const std::uint64_t before = c.side == Side::value ? shape.side_bytes() : 0;
    return (before + oracle::shuffled_byte(shape, first)) / shape.element_bytes;
  }
  void expect_instead(const json& report, const std::vector<std::string>& parts) {
    ASSERT_TRUE(report["instead"].is_string()) << report;
    const std::string sentence = report["instead"];
    for (const std::string& part : parts) EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  }
};

TEST_F(Check, holds_where_the_planes_are_right) {
  const json report = check(0);
  EXPECT_EQ(report["holds"], true);
  EXPECT_EQ(report["compared_bytes"], pool.standard.size());
  EXPECT_EQ(report["slots"]["written"], 80);
  EXPECT_TRUE(report["note"].is_null()) << report["note"];
}

// Every 97th byte of the file's planes, each bit pattern: the exact coordinate, the exact bytes, nothing
// else.
TEST_F(Check, names_each_flipped_byte) {
  const json flips = {{0, 0, 0, 0, 0}, {4, 1, 2, 15, 63}, {2, 0, 1, 7, 31}, {3, 1, 0, 8, 1}, {0, 1, 0, 0, 0}};
  for (const json& flip : flips) {
    for (std::uint64_t byte = 0; byte < shape.element_bytes; ++byte) {
      pool = right;
      const Coordinate c{flip[0], flip[1] == 0 ? Side::key : Side::value, flip[2], flip[3], flip[4]};
      char& flipped = plane(c.side)[oracle::shuffled_byte(shape, c) + byte];
      const auto before = static_cast<unsigned char>(flipped);
      flipped = static_cast<char>(before ^ 0x10);
      const json report = check(1);
      const json& failure = report["failure"];
      const json expected{{"block", c.block},
                          {"side", to_string(c.side)},
                          {"head", c.head},
                          {"token", c.token},
                          {"dim", c.dim}};
      EXPECT_EQ(failure["coordinate"], expected);
      EXPECT_EQ(failure["expected"], fmt::format("0x{:02X}", before));
      EXPECT_EQ(failure["got"], fmt::format("0x{:02X}", before ^ 0x10));
      EXPECT_EQ(failure["plane_byte"], oracle::shuffled_byte(shape, c) + byte);
      EXPECT_EQ(failure["standard_byte"], oracle::standard_byte(shape, c) + byte);
      const json one{{"bytes", 1}, {"elements", 1}, {"blocks", 1}},
          none{{"bytes", 0}, {"elements", 0}, {"blocks", 0}};
      EXPECT_EQ(report["differ"]["K"], c.side == Side::key ? one : none);
      EXPECT_EQ(report["differ"]["V"], c.side == Side::key ? none : one);
      expect_instead(report, {c.side == Side::key ? "V is right" : "K is right", "1 of "});
    }
  }
}

TEST_F(Check, names_the_first_in_coordinate_order) {
  // Later in the plane's bytes, but an earlier token: the K plane is ordered by d/x first.
  const Coordinate first{1, Side::key, 0, 2, 60}, later{1, Side::key, 0, 3, 0},
      value{1, Side::value, 0, 0, 0};
  for (const Coordinate& c : {first, later, value}) plane(c.side)[oracle::shuffled_byte(shape, c)] ^= 1;
  const json report = check(1);
  EXPECT_EQ(report["failure"]["coordinate"]["token"], 2);
  EXPECT_EQ(report["failure"]["coordinate"]["dim"], 60);
  EXPECT_EQ(report["differ"]["K"]["bytes"], 2);
  EXPECT_EQ(report["differ"]["V"]["bytes"], 1);
}

TEST_F(Check, reads_as_every_failure_does) {
  pool.values[0] ^= 0xFF;
  check(1);
  const Outcome ran = run({"check", file});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(ran.out.starts_with("REFUTED   check.planes_hold_standard\nClaim     ")) << ran.out;
  for (const char* part :
       {"\nExample   H=3 N=16 D=64 e=2   block=0 side=V head=0 token=0 dim=0   v_plane byte 0",
        "\nExpected  0x", "Got  0x", "\nReplay    pageproof check ", "V: 1 of ", "K: 0 of "}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << "\n" << ran.out;
  }
}

// Slots 5 and 79 are skipped.
std::vector<std::int64_t> slots_but_5_and_79() {
  std::vector<std::int64_t> slots;
  for (std::int64_t slot = 79; slot >= 0; --slot) slots.push_back(slot == 5 || slot == 79 ? -1 : slot);
  return slots;
}

class CheckSlots : public Check {
 protected:
  void skip(std::uint64_t slot, char sentinel) {
    laws::each_coordinate(
        shape,
        [&](const Coordinate& c) {
          if (c.token != slot % shape.tokens) return;
          plane(c.side).replace(oracle::shuffled_byte(shape, c), shape.element_bytes, shape.element_bytes,
                                sentinel);
        },
        slot / shape.tokens);
  }
};

TEST_F(CheckSlots, skipped_slots_keep_the_unwritten_byte) {
  skip(5, '\xA5');
  skip(79, '\xA5');
  const json report = check(0, {slots_tensor(slots_but_5_and_79())});
  EXPECT_EQ(report["slots"]["written"], 78);
  check(1);  // without a slot_mapping every slot was written
}

TEST_F(CheckSlots, a_touched_skipped_slot_is_found) {
  skip(5, '\xA5');
  skip(79, '\xA5');
  const Coordinate c{4, Side::value, 2, 15, 63};
  plane(c.side)[oracle::shuffled_byte(shape, c)] = 0;
  const json failure = check(1, {slots_tensor(slots_but_5_and_79())})["failure"];
  EXPECT_EQ(failure["coordinate"]["token"], 15);
  EXPECT_EQ(failure["written"], false);
  EXPECT_EQ(failure["expected"], "0xA5");
}

TEST_F(CheckSlots, metadata_may_name_another_unwritten_byte) {
  skip(5, '\x3C');
  skip(79, '\x3C');
  std::vector<TensorBytes> tensors = pool.tensors();
  tensors.push_back(slots_tensor(slots_but_5_and_79()));
  golden::put(file, tensors_file(tensors, 0, {{"unwritten_byte", "0x3C"}}));
  run_json({"check", file}, 0);
  golden::put(file, tensors_file(tensors, 0, {{"unwritten_byte", "0x3D"}}));
  run_json({"check", file}, 1);
}

TEST_F(CheckSlots, says_that_skipped_slots_were_written) {
  expect_instead(check(1, {slots_tensor(slots_but_5_and_79())}), {"Every slot holds its page's elements"});
}

TEST_F(Check, recognises_a_landing) {
  arrange([&](const Coordinate& c) {
    return oracle::standard_byte(shape, c) % shape.page_bytes() / shape.element_bytes;
  });
  expect_instead(check(1), {"standard, landed and never converted; every byte is explained"});
}

TEST_F(Check, recognises_a_second_conversion) {
  Pool again = right;
  for (std::uint64_t block = 0; block < pool.blocks; ++block) {
    const std::uint64_t half = shape.side_bytes();
    again.standard.replace(block * 2 * half, half, right.keys, block * half, half);
    again.standard.replace(block * 2 * half + half, half, right.values, block * half, half);
  }
  pool.standard = again.standard;
  arrange([&](const Coordinate& c) { return in_block(c); });
  pool.standard = right.standard;
  expect_instead(check(1), {"converted twice"});
}

TEST_F(Check, recognises_swapped_sides) {
  std::swap(pool.keys, pool.values);
  expect_instead(check(1), {"K and V planes exchanged (each side in the other's plane, in its own order)"});
  pool = right;
  arrange([&](Coordinate c) {
    c.side = c.side == Side::key ? Side::value : Side::key;
    return in_block(c);
  });
  expect_instead(check(1), {"V's data where K belongs and K's where V belongs"});
}

TEST_F(Check, recognises_one_side_in_another_order) {
  const std::uint64_t side = shape.side_bytes() / shape.element_bytes;
  arrange([&](const Coordinate& c) {
    if (c.side == Side::key) return in_block(c);
    return side + (c.head * shape.head_dim + c.dim) * shape.tokens + c.token;
  });
  expect_instead(check(1), {"K is right, V was written [H, D, N]", "classic-paged"});
  arrange([&](const Coordinate& c) {
    if (c.side == Side::value) return in_block(c);
    return (c.head * shape.tokens + c.token) * shape.head_dim + c.dim;
  });
  expect_instead(check(1), {"K was written [H, N, D]", "V is right"});
}

TEST_F(Check, recognises_a_side_that_was_never_written) {
  pool.values.assign(pool.values.size(), '\xA5');
  expect_instead(check(1), {"K is right; V holds 0xA5 throughout"});
  pool.keys.assign(pool.keys.size(), '\0');
  expect_instead(check(1), {"K holds 0x00 throughout", "V holds 0xA5 throughout"});
}

TEST_F(Check, recognises_shifted_blocks) {
  const std::uint64_t side = shape.side_bytes();
  pool.keys = right.keys.substr(side) + std::string(side, 'x');
  pool.values = right.values.substr(side) + std::string(side, 'x');
  expect_instead(check(1), {"block b of the file holds block b + 1 of the reference"});
  pool.keys = std::string(side, 'x') + right.keys.substr(0, 4 * side);
  pool.values = std::string(side, 'x') + right.values.substr(0, 4 * side);
  expect_instead(check(1), {"block b of the file holds block b - 1 of the reference"});
}

TEST_F(Check, recognises_blocks_that_were_mixed_up) {
  const std::uint64_t side = shape.side_bytes();
  for (std::string* plane_bytes : {&pool.keys, &pool.values}) {
    const std::string before = *plane_bytes;
    plane_bytes->replace(side, side, before, 4 * side, side);
    plane_bytes->replace(4 * side, side, before, side, side);
  }
  expect_instead(check(1), {"2 of 5 blocks are elsewhere, block 1 of the file holds block 4",
                            "every byte is explained"});
}

// One byte off in the last block: an arrangement that almost matches is not named.
TEST_F(Check, claims_nothing_that_does_not_match_everywhere) {
  std::swap(pool.keys, pool.values);
  pool.values.back() ^= 1;
  expect_instead(check(1), {"No catalogue format maps the reference onto the file.", "Closest: "});
  pool = right;
  pool.values.assign(pool.values.size(), '\xA5');
  pool.values.back() = 0;
  expect_instead(check(1), {"K is right; V is in no format"});
}

TEST_F(Check, says_what_the_data_cannot_tell) {
  pool.standard.assign(pool.standard.size(), '\0');
  pool.keys.assign(pool.keys.size(), '\0');
  pool.values.assign(pool.values.size(), '\0');
  EXPECT_NE(check(0)["note"].get<std::string>().find("this data would also pass for"), std::string::npos);
}

}  // namespace
}  // namespace pageproof::cli_tests
