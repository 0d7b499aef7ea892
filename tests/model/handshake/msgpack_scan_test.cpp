// The first pass over MessagePack bytes: every kind of value passes, every kind of damage is refused, and
// neither the stack nor the heap follows what the bytes announce.
#include "model/handshake/msgpack_scan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/handshake/wire.hpp"
#include "tests/model/handshake/bytes.hpp"

namespace pageproof::handshake {
namespace {

using testing::HasSubstr;

std::vector<std::byte> repeated(std::string_view unit, std::size_t times, std::string_view tail) {
  std::vector<std::byte> out;
  const std::vector<std::byte> one = hex(unit);
  for (std::size_t i = 0; i < times; ++i) out.insert(out.end(), one.begin(), one.end());
  const std::vector<std::byte> end = hex(tail);
  out.insert(out.end(), end.begin(), end.end());
  return out;
}

TEST(MsgpackScan, EveryKindOfValuePasses) {
  for (const char* good : {"00",
                           "7f",
                           "e0",
                           "ff",
                           "c0",
                           "c2",
                           "c3",
                           "80",
                           "90",
                           "a0",
                           "c4 00",
                           "c4 02 00 ff",
                           "c5 00 01 00",
                           "c6 00 00 00 01 00",
                           "c7 01 05 00",
                           "c8 00 01 05 00",
                           "c9 00 00 00 01 05 00",
                           "ca 00000000",
                           "cb 0000000000000000",
                           "cc ff",
                           "cd ffff",
                           "ce ffffffff",
                           "cf ffffffffffffffff",
                           "d0 80",
                           "d1 8000",
                           "d2 80000000",
                           "d3 8000000000000000",
                           "d4 01 00",
                           "d5 01 0000",
                           "d6 01 00000000",
                           "d7 01 0000000000000000",
                           "d8 01 00000000000000000000000000000000",
                           "d9 01 61",
                           "da 0001 61",
                           "db 00000001 61",
                           "dc 0001 00",
                           "dd 00000001 00",
                           "de 0001 a161 00",
                           "df 00000001 a161 00",
                           "82 a161 80 a162 90",
                           "92 81 a161 91 00 c0",
                           "d9 04 f0 9f 98 80"}) {
    const auto ok = scan_msgpack(hex(good), "reply");
    EXPECT_TRUE(ok.has_value()) << good << ": " << to_string(ok.error());
    EXPECT_TRUE(parse_msgpack(hex(good), "reply").has_value()) << good;
  }
}

struct Bad {
  const char* name;
  std::vector<std::byte> bytes;
  const char* line;  // of the Error, after the subject
};

std::vector<Bad> bad_bytes() {
  return {
      {"empty", {}, "$: truncated (byte 0)"},
      {"never_used", hex("c1"), "$: 0xc1: no MessagePack value"},
      {"text_cut", hex("a3 61 62"), "$: 3: announced, but 2 bytes follow"},
      {"length_cut", hex("da 00"), "$: truncated"},
      {"integer_cut", hex("cf 00 00"), "announced, but 2 bytes follow"},
      {"map_without_pairs", hex("81"), "$: 1: announced"},
      {"map_without_value", hex("82 a1 61 01 a1"), "announced"},
      {"array_cut", hex("93 01 02"), "$: 3: announced, but 2 bytes follow"},
      {"huge_array", hex("dd ffffffff 00"), "$: 4294967295: announced, but 5 bytes follow"},
      {"huge_map", hex("df ffffffff 00"), "$: 4294967295: announced"},
      {"huge_bin", hex("c6 ffffffff 00"), "$: 4294967295: announced"},
      {"huge_ext", hex("c9 ffffffff 00 00"), "$: 4294967296: announced"},
      {"huge_inside", hex("81 a1 61 dd 7fffffff 00"), "$.a: 2147483647: announced"},
      {"two_values", hex("01 02"), "$: 1 bytes: bytes after the value (byte 1)"},
      {"tail", hex("80 00 00"), "$: 2 bytes: bytes after the value"},
      {"key_number", hex("81 01 02"), "$: 0x01: a key that is no string"},
      {"key_nil", hex("81 c0 02"), "$: 0xc0: a key that is no string"},
      {"key_bytes", hex("81 c4 01 61 02"), "$: 0xc4: a key that is no string"},
      {"key_array", hex("81 90 02"), "$: array: a key that is no string"},
      {"key_map", hex("81 80 02"), "$: map: a key that is no string"},
      {"key_number_inside", hex("81 a1 61 92 00 81 05 05"), "$.a[1]: 0x05: a key that is no string"},
      {"key_twice", hex("82 a1 61 01 a1 61 02"), "$.a: a: the key appears twice"},
      {"key_twice_inside", hex("81 a1 7a 82 a1 61 01 a1 61 02"), "$.z.a: a: the key appears twice"},
      {"key_twice_two_spellings", hex("82 a1 61 01 d9 01 61 02"), "appears twice"},
      {"text_not_utf8", hex("a1 ff"), "$: text that is not UTF-8"},
      {"text_surrogate", hex("a3 ed a0 80"), "not UTF-8"},
      {"text_overlong", hex("a2 c0 80"), "not UTF-8"},
      {"text_cut_inside_character", hex("a1 c3"), "not UTF-8"},
      {"text_beyond_unicode", hex("a4 f4 90 80 80"), "not UTF-8"},
      {"key_not_utf8", hex("81 a1 ff 00"), "not UTF-8"},
      {"deep_33", repeated("91", 33, "c0"), "33 levels: nested deeper than 32 levels"},
      {"deep_200_kB", repeated("91", 200'000, "c0"), "33 levels: nested deeper than 32 levels"},
      {"deep_maps", repeated("81 a1 61", 100'000, "c0"), "nested deeper than 32 levels"},
      {"deep_under_an_unknown_key",
       repeated("81 a7 756e6b6e6f776e", 1,
                "91919191919191919191919191919191919191"
                "919191919191919191919191919191919191c0"),
       "nested deeper than 32 levels"},
  };
}

TEST(MsgpackScan, BadBytesGetOneErrorWithTheirPath) {
  for (const Bad& bad : bad_bytes()) {
    const auto refused = scan_msgpack(bad.bytes, "reply");
    ASSERT_FALSE(refused.has_value()) << bad.name;
    EXPECT_THAT(to_string(refused.error()), HasSubstr(bad.line)) << bad.name;
    EXPECT_FALSE(parse_msgpack(bad.bytes, "reply").has_value()) << bad.name;
  }
}

TEST(MsgpackScan, ThirtyTwoLevelsPass) {
  EXPECT_TRUE(scan_msgpack(repeated("91", 32, "c0"), "reply").has_value());
}

// Every prefix of a good message is refused, and no byte can be dropped without being noticed or harmless.
TEST(MsgpackScan, EveryPrefixIsRefused) {
  const HandshakePayload payload{"hash", bytes_of("inner")};
  const std::vector<std::byte> whole = encode(payload);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decode_payload(std::span(whole).first(length), "reply").has_value()) << length;
  }
  EXPECT_EQ(decode_payload(whole, "reply").value(), payload);
}

// One byte changed at a time: a value or an error, never a crash; and what is accepted has no key of another
// name.
TEST(MsgpackScan, EveryByteChanged) {
  region::Engine engine;
  engine.model.layers = 2;
  const auto registered = region::register_engine(engine, region::Layout::lbhnc);
  const std::vector<std::byte> whole =
      encode(metadata_of(engine, region::Layout::lbhnc, *registered), Behaviour::s2);
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int value : {0x00, 0x7f, 0x80, 0x91, 0xa0, 0xc0, 0xc1, 0xc6, 0xcf, 0xd3, 0xdd, 0xdf, 0xff}) {
      std::vector<std::byte> changed = whole;
      changed[i] = static_cast<std::byte>(value);
      decode_metadata(changed, Behaviour::s2, "reply").has_value() ? ++accepted : ++refused;
    }
  }
  EXPECT_GT(accepted, 0u);  // letters of a name, digits of an address
  EXPECT_GT(refused, accepted);
}

}  // namespace
}  // namespace pageproof::handshake
