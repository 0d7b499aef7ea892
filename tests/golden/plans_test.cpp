// Plan fixtures: committed as generated, given by the planner that ships, and each seeded fault is seen.
#include <gmock/gmock.h>

#include "golden/plans/cases.hpp"
#include "golden/plans/check.hpp"
#include "golden/plans/expect.hpp"
#include "golden/plans/plan_json.hpp"
#include "reports/plan/production.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::golden::plans {
namespace {

using testing::HasSubstr;
using Fixture = Test;

TEST(PlanFixtures, AreCurrent) {
  const Scratch scratch;
  ASSERT_TRUE(generate_plans(scratch.path()).has_value());
  EXPECT_TRUE(contents(scratch / kPlansFile) ==
              contents(std::filesystem::path(PAGEPROOF_GOLDEN) / kPlansFile))
      << "a released file never changes, new tests are appended. To write it anew: pageproof fixtures "
         "generate golden";
}

TEST(PlanFixtures, ReadBackAsWritten) {
  const std::string text = to_json_text(make_suite());
  const auto suite = read_suite(text, "plans");
  ASSERT_TRUE(suite.has_value()) << to_string(suite.error());
  EXPECT_TRUE(to_json_text(*suite) == text);
}

TEST(PlanFixtures, ThePlannerThatShipsGivesThem) {
  const auto report = check_plans(PAGEPROOF_GOLDEN, reports::production_planner());
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  for (const Failure& failure : report->failures) ADD_FAILURE() << to_string(failure);
  EXPECT_EQ(report->valid, 53u);
  EXPECT_EQ(report->invalid, 20u);
}

// Spec §4.4 and §4.6.
TEST(PlanFixtures, HoldTheSpecsLists) {
  const Suite suite = make_suite();
  EXPECT_EQ(suite.tests[0].sources[0].local_ids, (Ids{3, 5, 103, 105}));
  EXPECT_EQ(suite.tests[1].sources[0].local_ids, (Ids{3, 7, 403, 407}));
  EXPECT_EQ(suite.tests[2].sources[0].local_ids, (Ids{4, 5, 6, 7, 404, 405, 406, 407}));
  EXPECT_EQ(suite.tests[3].sources[0].local_rows[3], (Row{1000, 16, 0}));
  EXPECT_EQ(suite.tests[4].sources[0].local_ids, (Ids{5, 1, 11, 7, 17, 13, 23, 19}));
  EXPECT_EQ(suite.tests[4].sources[0].remote_ids, (Ids{0, 3, 4, 7, 8, 11, 12, 15}));
  EXPECT_EQ(suite.tests[4].sources[0].remote_rows.back(), (Row{0x101e00, 512, 0}));
}

// Failures when `spoil` has changed what the planner says.
std::size_t failures_with(const std::function<void(const Fixture&, Planned&)>& spoil) {
  const Planner planner = [&](const Fixture& test) {
    auto planned = reports::production_planner()(test);
    if (planned) spoil(test, *planned);
    return planned;
  };
  const auto report = check_plans(PAGEPROOF_GOLDEN, planner);
  EXPECT_TRUE(report.has_value());
  return report ? report->failures.size() : 0;
}

TEST(PlanFixtures, SeeEachFaultOfAPlanner) {
  EXPECT_EQ(failures_with([](const Fixture&, Planned&) {}), 0u);
  EXPECT_GT(failures_with(
                [](const Fixture&, Planned& p) { std::swap(p.reads[0].local_ids, p.reads[0].remote_ids); }),
            30u);
  EXPECT_GT(failures_with(
                [](const Fixture&, Planned& p) { std::swap(p.reads[0].local_rows, p.reads[0].remote_rows); }),
            60u);
  EXPECT_GT(failures_with([](const Fixture&, Planned& p) {
              if (!p.reads[0].posted.empty()) p.reads[0].posted.pop_back();
            }),
            30u);
  EXPECT_GT(failures_with([](const Fixture&, Planned& p) { p.reads.pop_back(); }), 40u);
  // Merging forgotten shows in the tests with runs.
  EXPECT_GT(failures_with([](const Fixture&, Planned& p) {
              for (Planned::Read& read : p.reads) {
                read.posted.clear();
                for (std::size_t i = 0; i < read.local_rows.size(); ++i)
                  read.posted.push_back({i, 1, read.local_rows[i][1]});
              }
            }),
            2u);
  // Only fixtures with several sources see ranks exchanged.
  EXPECT_GT(failures_with([](const Fixture&, Planned& p) { std::swap(p.reads.front(), p.reads.back()); }),
            2u);
}

// Failures of a planner that is given something else than the fixture says.
std::size_t failures_given(const std::function<void(Fixture&)>& change) {
  const Planner planner = [&](const Fixture& test) {
    Fixture other = test;
    change(other);
    return reports::production_planner()(other);
  };
  const auto report = check_plans(PAGEPROOF_GOLDEN, planner);
  EXPECT_TRUE(report.has_value());
  return report ? report->failures.size() : 0;
}

TEST(PlanFixtures, SeeAPlannerThatForgetsWhatARegionIs) {
  EXPECT_EQ(failures_given([](Fixture&) {}), 0u);
  // Regions that all ranks hold alike, taken as cut between them.
  EXPECT_EQ(failures_given([](Fixture& test) {
              for (Region& region : test.local.regions) region.replicated = false;
            }),
            5u);
  // Groups of regions forgotten: every region serves every list.
  EXPECT_GE(failures_given([](Fixture& test) {
              for (Region& region : test.local.regions) region.group = 0;
              for (Source& source : test.sources) {
                for (Region& region : source.side.regions) region.group = 0;
              }
            }),
            3u);
}

TEST(PlanFixtures, SeeAPlannerThatRefusesNothingAndOneThatRefusesAll) {
  const auto none = check_plans(PAGEPROOF_GOLDEN, [](const Fixture& test) {
    auto planned = reports::production_planner()(test);
    return planned ? planned : Expected<Planned>(Planned{});
  });
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->failures.size(), 20u);
  const auto all = check_plans(PAGEPROOF_GOLDEN, [](const Fixture&) -> Expected<Planned> {
    return std::unexpected(Error{"plan", "field", "", "never"});
  });
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->failures.size(), 73u);
}

TEST(PlanFixtures, SeeADigestThatTheRowsDoNotGive) {
  const Scratch scratch;
  Suite suite = make_suite();
  suite.tests[4].content_sha256[0] = suite.tests[4].content_sha256[0] == '0' ? '1' : '0';
  suite.tests[5].tc_id = suite.tests[4].tc_id;
  suite.tests[6].flags.push_back("NoSuchNote");
  put(scratch / kPlansFile, to_json_text(suite));
  const auto report = check_plans(scratch.path(), reports::production_planner());
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  ASSERT_EQ(report->failures.size(), 3u);
  EXPECT_EQ(report->failures[0].name, "plans.one_id_a_test");
  EXPECT_EQ(report->failures[1].name, "plans.flags_are_explained");
  EXPECT_EQ(report->failures[2].name, "plans.digest");
}

TEST(PlanFixtures, RefuseWhatIsNoSuite) {
  const auto problem = [](const std::string& from, const std::string& to) {
    std::string text = to_json_text(make_suite());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    const auto suite = read_suite(text.replace(at, from.size(), to), "plans");
    return suite ? "read" : to_string(suite.error());
  };
  EXPECT_THAT(problem("\"algorithm\"", "\"rhythm\""), HasSubstr("algorithm"));
  EXPECT_THAT(problem("\"tcId\":1,", "\"tcId\":-1,"), HasSubstr("$.testGroups[0].tests[0].tcId"));
  EXPECT_THAT(problem("\"rank\":0", "\"rank\":\"0\""), HasSubstr("sources[0].rank"));
  EXPECT_THAT(problem("\"local_rows\":[[", "\"local_rows\":[[1],["),
              HasSubstr("not a list of three numbers"));
  EXPECT_THAT(problem("\"numberOfTests\": 73", "\"numberOfTests\": 74"), HasSubstr("there are 73"));
  EXPECT_THAT(problem("\"result\":\"valid\"", "\"result\":\"so so\""),
              HasSubstr("neither valid nor invalid"));
  EXPECT_THAT(problem("\"device\":0", "\"devices\":0"), HasSubstr("device"));
  EXPECT_THAT(problem("{\n", "[\n"), HasSubstr("plans"));
}

}  // namespace
}  // namespace pageproof::golden::plans
