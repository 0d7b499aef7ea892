// The rewrite of e4m3 into e4m3fnuz, for all 256 codes by what both formats mean.
#include "oracle/offset/fp8.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <set>

namespace pageproof::oracle {
namespace {

// The first code whose rewrite does not mean half of it.
std::optional<int> first_wrong(const std::function<std::uint8_t(std::uint8_t)>& rewrite) {
  for (int code = 0; code < 256; ++code) {
    const Fp8Value before = e4m3_value(static_cast<std::uint8_t>(code));
    const Fp8Value after = e4m3fnuz_value(rewrite(static_cast<std::uint8_t>(code)));
    if (before.has_value() != after.has_value()) return code;
    if (before && *before != 2 * *after) return code;
  }
  return {};
}

TEST(Fp8, every_code_means_half_of_what_it_meant_and_NaN_stays_NaN) {
  EXPECT_EQ(first_wrong(e4m3_to_e4m3fnuz), std::nullopt);
}

TEST(Fp8, a_rewrite_that_leaves_any_of_the_three_codes_out_is_found_by_that_code) {
  for (const int left_out : {0x7F, 0x80, 0xFF}) {
    const auto rewrite = [left_out](std::uint8_t code) {
      return code == left_out ? code : e4m3_to_e4m3fnuz(code);
    };
    EXPECT_EQ(first_wrong(rewrite), left_out);
  }
  EXPECT_EQ(first_wrong([](std::uint8_t code) { return e4m3_to_e4m3fnuz(e4m3_to_e4m3fnuz(code)); }), 0x7F);
}

// The way back has no code for 240 and -240 at twice the value.
TEST(Fp8, no_e4m3_code_means_twice_240) {
  std::set<std::int64_t> values;
  for (int code = 0; code < 256; ++code) {
    if (const Fp8Value value = e4m3_value(static_cast<std::uint8_t>(code))) values.insert(*value);
  }
  for (int code = 0; code < 256; ++code) {
    const Fp8Value value = e4m3fnuz_value(static_cast<std::uint8_t>(code));
    if (!value) continue;
    EXPECT_EQ(values.contains(2 * *value), (code & 0x7F) != 0x7F) << code;
  }
}

// Known values, as the two formats' own texts have them.
TEST(Fp8, known_codes) {
  EXPECT_EQ(e4m3_value(0x7E), 448 * 1024);
  EXPECT_EQ(e4m3_value(0x01), 2);     // 2^-9
  EXPECT_EQ(e4m3_value(0x38), 1024);  // 1
  EXPECT_EQ(e4m3fnuz_value(0x7F), 240 * 1024);
  EXPECT_EQ(e4m3fnuz_value(0x01), 1);     // 2^-10
  EXPECT_EQ(e4m3fnuz_value(0x40), 1024);  // 1
}

}  // namespace
}  // namespace pageproof::oracle
