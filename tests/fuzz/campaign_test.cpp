#include "fuzz/campaign/campaign.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "fuzz/campaign/json_file.hpp"
#include "fuzz/campaign/select.hpp"
#include "fuzz/generate/convert_case.hpp"

namespace pageproof::fuzz {
namespace {

// A folder of its own for each test, removed at its end.
class Campaign : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("pageproof_campaign_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  std::filesystem::path folder_;
};

// A property over one number below 1000 and a list of as many numbers as it says, refuted by `fails`.
Property property_of(const std::string& name, std::function<bool(std::uint64_t, std::uint64_t)> fails) {
  const auto make = [](Choices& choices) {
    const std::uint64_t token = choices.below(1000);
    return std::pair(token, choices.below(1000));
  };
  return {.name = name,
          .claim = "nothing fails",
          .run = [name, make, fails](Choices& choices, Domain) -> std::optional<Failure> {
            const auto [token, dim] = make(choices);
            if (!fails(token, dim)) return {};
            return Failure{
                name,    "nothing fails", "token=" + std::to_string(token) + " dim=" + std::to_string(dim),
                "holds", "fails",         ""};
          },
          .describe = [make](Choices& choices, Domain) -> nlohmann::json {
            const auto [token, dim] = make(choices);
            return {{"token", token}, {"dim", dim}};
          },
          .mutants = {}};
}

Property failing() {
  return property_of("test.failing", [](std::uint64_t token, std::uint64_t) { return token >= 3; });
}

Property holding() {
  return property_of("test.holding", [](std::uint64_t, std::uint64_t) { return false; });
}

TEST_F(Campaign, ShrinksToTheSmallestFailingCase) {
  const Tried tried = run_random(failing().run, 5, 100);
  ASSERT_TRUE(tried.found.has_value());
  EXPECT_EQ(tried.found->failure.example, "token=3 dim=0");
  EXPECT_EQ(tried.found->choices, (std::vector<std::uint64_t>{3, 0}));
}

TEST_F(Campaign, ShrinksThroughChoicesWhoseBoundsDependOnOthers) {
  // Refuted from two listed blocks on; the smallest has two, in order, in the smallest pools.
  const RunCase run = [](Choices& choices, Domain) -> std::optional<Failure> {
    const ConvertCase c = make_convert_case(choices, wide_extent());
    if (c.to.size() < 2) return {};
    return Failure{"test", "", to_string(c), "", "", ""};
  };
  const Tried tried = run_random(run, 5, 100);
  ASSERT_TRUE(tried.found.has_value());
  Choices choices(recorded(tried.found->choices));
  const ConvertCase c = make_convert_case(choices, wide_extent());
  EXPECT_EQ(to_string(c), tried.found->failure.example);
  EXPECT_EQ(c.shape, (Shape{1, 8, 8, 2}));
  EXPECT_EQ(c.layers, 1u);
  EXPECT_EQ(c.from, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(c.to, (std::vector<std::uint64_t>{0, 1}));
}

TEST_F(Campaign, TheSmallDomainStopsAtItsFirstFailure) {
  const Tried tried = run_small(failing().run);
  ASSERT_TRUE(tried.found.has_value());
  EXPECT_EQ(tried.cases, 3001u);
  EXPECT_EQ(tried.found->failure.example, "token=3 dim=0");
}

std::multiset<std::string> cases_of_shard(const Shard& shard, std::uint64_t rounds) {
  std::multiset<std::string> seen;
  Property property = holding();
  property.run = [&seen](Choices& choices, Domain) -> std::optional<Failure> {
    const std::uint64_t high = choices.below(std::uint64_t{1} << 30);
    seen.insert(std::to_string(high) + " " + std::to_string(choices.below(std::uint64_t{1} << 30)));
    return {};
  };
  run_campaign({&property, 1},
               {.seed = 7, .shard = shard, .seconds = 1e6, .round_cases = 20, .most_rounds = rounds});
  return seen;
}

TEST_F(Campaign, ShardsAreDisjointAndTogetherTheWhole) {
  const std::multiset<std::string> whole = cases_of_shard({1, 1}, 6);
  std::multiset<std::string> together;
  for (std::uint64_t k = 1; k <= 3; ++k) together.merge(cases_of_shard({k, 3}, 2));
  EXPECT_EQ(whole.size(), 120u);
  EXPECT_EQ(std::set(whole.begin(), whole.end()).size(), 120u);
  EXPECT_EQ(together, whole);
}

CampaignReport report_of(std::uint64_t seed, const Shard& shard, const std::string& folder) {
  const std::vector<Property> properties = {failing(), holding()};
  return run_campaign(properties, {.seed = seed,
                                   .shard = shard,
                                   .seconds = 1e6,
                                   .round_cases = 10,
                                   .most_rounds = 2,
                                   .cases_folder = folder});
}

TEST_F(Campaign, ReportsMergeInAnyOrderAndGrouping) {
  const CampaignReport a = report_of(7, {1, 3}, path("cases"));
  const CampaignReport b = report_of(7, {3, 3}, path("cases"));
  const CampaignReport c = report_of(8, {1, 1}, path("cases"));
  const auto ab_c = to_json(merged(merged(a, b, "ab").value(), c, "c").value());
  const auto a_bc = to_json(merged(a, merged(b, c, "bc").value(), "abc").value());
  const auto cb_a = to_json(merged(merged(c, b, "cb").value(), a, "a").value());
  EXPECT_EQ(ab_c, a_bc);
  EXPECT_EQ(ab_c, cb_a);
  EXPECT_EQ(ab_c["properties"][1]["cases"], 60);
  EXPECT_EQ(ab_c["properties"][0]["failures"].size(), 3u);
  EXPECT_EQ(ab_c["holds"], false);
}

TEST_F(Campaign, AShardIsMergedOnce) {
  const CampaignReport a = report_of(7, {1, 3}, path("cases"));
  const auto twice = merged(a, a, "a.json");
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(to_string(twice.error()), "a.json: shard: 1/3 of seed 7: this shard is there already");
  const auto cut_differently = merged(a, report_of(7, {1, 2}, path("cases")), "b.json");
  ASSERT_FALSE(cut_differently.has_value());
  EXPECT_EQ(to_string(cut_differently.error()),
            "b.json: shard: 1/2 of seed 7: shard 1/3 of this seed is there, cut differently");
}

TEST_F(Campaign, ReportsComeBackFromJson) {
  const CampaignReport report = report_of(7, {2, 3}, path("cases"));
  const auto back = report_from_json(to_json(report), "report");
  ASSERT_TRUE(back.has_value()) << to_string(back.error());
  EXPECT_EQ(to_json(*back), to_json(report));
}

TEST_F(Campaign, AReportWithoutCasesDoesNotHold) {
  EXPECT_FALSE(CampaignReport{}.holds());
  CampaignReport report;
  report.properties["test.holding"] = {0, {}};
  EXPECT_FALSE(report.holds());
  report.properties["test.holding"].cases = 1;
  EXPECT_TRUE(report.holds());
}

TEST_F(Campaign, AFailureIsAFileThatReplays) {
  const CampaignReport report = report_of(7, {1, 1}, path("cases"));
  const FoundFailure& found = report.properties.at("test.failing").failures.at(0);
  const std::string file = path("cases/test.failing.json");
  EXPECT_EQ(found.failure.replay, "pageproof fuzz --replay " + file);
  const auto read = read_case(file);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(to_json(*read), to_json(found.file));
  EXPECT_EQ(read->values, (nlohmann::json{{"token", 3}, {"dim", 0}}));

  const std::vector<Property> broken = {failing()};
  const auto again = replay(*read, broken, file);
  ASSERT_TRUE(again.has_value() && again->has_value());
  EXPECT_EQ((*again)->example, found.failure.example);

  std::vector<Property> repaired = {holding()};
  repaired[0].name = "test.failing";
  const auto holds = replay(*read, repaired, file);
  ASSERT_TRUE(holds.has_value());
  EXPECT_FALSE(holds->has_value());
}

TEST_F(Campaign, AChangedGeneratorIsNoticedOnReplay) {
  const std::vector<Property> properties = {failing()};
  CaseFile file{"test.failing", Domain::wide, {3, 0}, {{"token", 3}, {"dim", 0}}, 7, 0, "c0ffee"};
  EXPECT_TRUE(replay(file, properties, "f").has_value());
  file.values["dim"] = 1;
  EXPECT_EQ(replay(file, properties, "f").error().field, "case");
  file = {"test.failing", Domain::wide, {3, 0, 5}, {{"token", 3}, {"dim", 0}}, 7, 0, "c0ffee"};
  EXPECT_EQ(replay(file, properties, "f").error().field, "choices");
  file.property = "test.unknown";
  EXPECT_EQ(replay(file, properties, "f").error().field, "property");
}

TEST_F(Campaign, AFailureIsReportedAlsoWhereNoFileCanBeWritten) {
  const std::string not_a_folder = write("taken", "");
  const CampaignReport report = report_of(7, {1, 1}, not_a_folder);
  const std::string replay_line = report.properties.at("test.failing").failures.at(0).failure.replay;
  EXPECT_TRUE(replay_line.starts_with("(no case file: " + not_a_folder)) << replay_line;
}

TEST_F(Campaign, RefusesBadShards) {
  for (const char* text : {"", "0/4", "5/4", "a/b", "1", "1/", "/1", "1/0", "-1/4", "1/4x", "1/2/3", " 1/2",
                           "1/1000001", "18446744073709551616/2"}) {
    const auto shard = parse_shard(text);
    ASSERT_FALSE(shard.has_value()) << text;
    EXPECT_EQ(shard.error().subject, "--shard");
    EXPECT_EQ(shard.error().value, text);
  }
  EXPECT_EQ(parse_shard("2/4").value(), (Shard{2, 4}));
}

TEST_F(Campaign, NamesTheNearestProperty) {
  const std::vector<Property> properties = {failing(), holding()};
  const auto refused = select(properties, std::vector<std::string>{"test.holdin9"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(to_string(refused.error()),
            "PROPERTY: test.holdin9: no property has this name; did you mean test.holding?");
  EXPECT_FALSE(select(properties, std::vector<std::string>{""}).has_value());
  EXPECT_EQ(select(properties, {}).value().size(), 2u);
  EXPECT_EQ(select(properties, std::vector<std::string>{"test."}).value().size(), 2u);
  EXPECT_EQ(select(properties, std::vector<std::string>{"test.h"}).value().at(0).name, "test.holding");
}

const std::string kCase =
    R"({"schema":"fuzz_case_v1","property":"test.failing","domain":"wide","choices":[3,0],)"
    R"("case":{},"seed":7,"round":0,"commit":"c0ffee"})";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(Campaign, RefusesBadCaseFiles) {
  std::string deep = "$.case";  // the file's object and 31 lists are open
  for (int list = 0; list < 31; ++list) deep += "[0]";
  const std::pair<std::string, std::string> table[] = {
      {"", "$"},
      {"{", "$"},
      {"[]", "$"},
      {"null", "$"},
      {changed(kCase, "_v1", "_v9"), "schema"},
      {changed(kCase, "\"wide\"", "\"huge\""), "domain"},
      {changed(kCase, "[3,0]", "[3,-1]"), "choices"},
      {changed(kCase, "[3,0]", "[3,\"0\"]"), "choices"},
      {changed(kCase, "[3,0]", "3"), "choices"},
      {changed(kCase, "\"seed\":7", "\"seed\":7.5"), "seed"},
      {changed(kCase, "\"property\"", "\"other\""), "property"},
      {changed(kCase, "\"commit\":\"c0ffee\"", "\"commit\":1"), "commit"},
      {changed(kCase, "\"seed\"", "\"seed\":7,\"seed\""), "$.seed"},
      {changed(kCase, "{},", std::string(200'000, '[') + std::string(200'000, ']') + ","), deep},
  };
  for (const auto& [text, field] : table) {
    const auto file = read_case(write("case.json", text));
    ASSERT_FALSE(file.has_value()) << text;
    EXPECT_EQ(file.error().subject, path("case.json"));
    EXPECT_EQ(file.error().field, field) << text;
  }
  EXPECT_TRUE(read_case(write("case.json", kCase)).has_value());
  EXPECT_FALSE(read_case(path("missing.json")).has_value());
  EXPECT_FALSE(read_case(folder_.string()).has_value());
}

TEST_F(Campaign, RefusesBadReports) {
  const std::string good = to_json(report_of(7, {1, 3}, path("cases"))).dump();
  ASSERT_TRUE(report_from_json(nlohmann::json::parse(good), "r").has_value());
  const std::pair<std::string, std::string> table[] = {
      {"\"fuzz_report_v1\"", "\"fuzz_report_v2\""},
      {"\"shard\":\"1/3\"", "\"shard\":\"4/3\""},
      {"\"rounds\":", "\"laps\":"},
      {"\"cases\":", "\"cases\":-"},
      {"\"cases\":", "\"cases\":99999999999999"},
      {"\"seconds\":", "\"seconds\":-1"},
      {"\"choices\":[", "\"choices\":[-1,"},
      {"\"name\":\"test.holding\"", "\"name\":\"test.failing\""},
  };
  for (const auto& [from, to] : table) {
    const std::string bad = changed(good, from, to);
    const nlohmann::json json = nlohmann::json::parse(bad, nullptr, false);
    if (json.is_discarded()) continue;
    EXPECT_FALSE(report_from_json(json, "r").has_value()) << bad;
  }
  EXPECT_FALSE(
      report_from_json(nlohmann::json::parse(R"({"schema":"fuzz_report_v1","runs":[],"properties":[]})"), "r")
          .has_value());
}

// Shards are looked up, not searched: a report of many runs is read in time.
TEST_F(Campaign, ReadsAReportOfManyRuns) {
  constexpr std::uint64_t kRuns = 50'000;
  CampaignReport report;
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    report.runs.push_back({.seed = i / 2, .shard = {i % 2 + 1, 2}, .rounds = 1, .seconds = 1, .commit = "c"});
  }
  const auto back = report_from_json(to_json(report), "r");
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->runs.size(), kRuns);
  EXPECT_FALSE(merged(*back, *back, "r").has_value());
}

}  // namespace
}  // namespace pageproof::fuzz
