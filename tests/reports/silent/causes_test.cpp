// The cover, over small sets whose causes are known.
#include "reports/silent/causes.hpp"

#include <gmock/gmock.h>

namespace pageproof::silent {
namespace {

using testing::ElementsAre;

const std::vector<Condition>& given() {
  static const std::vector<Condition> all = {
      {"permute", [](const Features& f) { return f.permute != 0; }},
      {"dtypes", [](const Features& f) { return f.dtypes != 0; }},
      {"splits", [](const Features& f) { return f.splits != 0; }},
      {"several heads", [](const Features& f) { return f.decode_heads > 1; }},
  };
  return all;
}

Seen seen(bool permute, bool dtypes, bool splits, std::uint8_t heads, std::uint64_t right,
          std::uint64_t wrong) {
  Seen one{.features = {}, .right = right, .wrong = wrong};
  one.features.permute = permute;
  one.features.dtypes = dtypes;
  one.features.splits = splits;
  one.features.decode_heads = heads;
  return one;
}

// Wrong: dtypes; permute and several heads. Splits never matter.
std::vector<Seen> two_causes() {
  std::vector<Seen> all;
  for (const bool permute : {false, true}) {
    for (const bool dtypes : {false, true}) {
      for (const bool splits : {false, true}) {
        for (const std::uint8_t heads : {1, 4}) {
          const bool wrong = dtypes || (permute && heads > 1);
          all.push_back(seen(permute, dtypes, splits, heads, wrong ? 0 : 10, wrong ? 10 : 0));
        }
      }
    }
  }
  return all;
}

TEST(Causes, AreFoundAndNothingElse) {
  const Cover cover = causes_of(two_causes(), given());
  ASSERT_EQ(cover.causes.size(), 2u);
  EXPECT_THAT(cover.causes[0].conditions, ElementsAre(1));
  EXPECT_EQ(cover.causes[0].pairs, 80u);
  EXPECT_EQ(cover.causes[0].alone, 60u);
  EXPECT_THAT(cover.causes[1].conditions, ElementsAre(0, 3));
  EXPECT_EQ(cover.causes[1].pairs, 40u);
  EXPECT_EQ(cover.inseparable + cover.uncovered, 0u);
}

TEST(Causes, TheExampleIsThePlainestOfItsCauseAlone) {
  const std::vector<Seen> all = two_causes();
  const Cover cover = causes_of(all, given());
  const Features& dtypes = all[cover.causes[0].example].features;
  EXPECT_EQ(differences(dtypes), 1);
  const Features& permute = all[cover.causes[1].example].features;
  EXPECT_EQ(differences(permute), 1);
  EXPECT_EQ(permute.permute, 1);
}

TEST(Causes, WhatTheFieldsDoNotTellIsSaid) {
  std::vector<Seen> all = two_causes();
  all.push_back(seen(false, false, false, 1, 1, 7));
  EXPECT_EQ(causes_of(all, given()).inseparable, 7u);
}

TEST(Causes, WhatTheConditionsDoNotTellIsSaid) {
  const Cover cover = causes_of(two_causes(), std::span(given()).first(1));
  EXPECT_TRUE(cover.causes.empty());
  EXPECT_EQ(cover.uncovered, 100u);
}

TEST(Causes, NoWrongPairHasNoCause) {
  EXPECT_TRUE(causes_of(std::vector<Seen>{seen(true, false, false, 1, 3, 0)}, given()).causes.empty());
}

}  // namespace
}  // namespace pageproof::silent
