// The converter that ships, through its C ABI, against the committed fixtures.
#include <gtest/gtest.h>

#include "golden/pages/check.hpp"
#include "reports/verify/production.hpp"

namespace pageproof::golden {
namespace {

TEST(ConverterMatchesGolden, OnEveryTest) {
  const auto report = check_fixtures(PAGEPROOF_GOLDEN, reports::production_converter());
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  for (const Failure& failure : report->failures) ADD_FAILURE() << to_string(failure);
  EXPECT_TRUE(report->holds());
}

}  // namespace
}  // namespace pageproof::golden
