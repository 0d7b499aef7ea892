// The described pairs, judged without being told.
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/silent/section9.hpp"

namespace pageproof::silent {
namespace {

TEST(Described, EveryPairComesOutAsDescribed) {
  for (const Described& pair : described_pairs()) {
    const auto judged = judged_today(pair.decode, pair.decode_layout, pair.prefill, pair.prefill_layout);
    ASSERT_TRUE(judged.has_value()) << pair.name << ": " << to_string(judged.error());
    EXPECT_EQ(to_string(*judged), said_of(pair)) << pair.name;
  }
}

// Five rows of the description are silent; the one of unequal TP is judged in both directions.
TEST(Described, FiveRowsAreSilent) {
  const auto silent = std::ranges::count(described_pairs(), Fate::wrong, &Described::fate);
  EXPECT_EQ(silent, 6);
}

TEST(Described, TheFirstWrongByteOfAStandardPageReadAsShuffled) {
  const Described& pair = described_pairs().front();
  const auto judged = judged_today(pair.decode, pair.decode_layout, pair.prefill, pair.prefill_layout);
  ASSERT_TRUE(judged.has_value() && judged->bytes.wrong.has_value());
  // K granule 1 of token 0 lies at byte 16·16: in a standard page that is token 0's V row.
  EXPECT_EQ(judged->bytes.wrong->expected, "layer 0 token 0 head 0 side K dim 8 byte 0");
  EXPECT_EQ(judged->bytes.wrong->got, "layer 0 token 0 head 0 side V dim 0 byte 0");
}

}  // namespace
}  // namespace pageproof::silent
