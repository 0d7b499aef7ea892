// A file that says two things: the arrays win, and without them the run is not judged. What is missing, or of
// another type, is said.
#include <gmock/gmock.h>

#include "reports/results/client.hpp"
#include "reports/results/goodput.hpp"
#include "reports/results/mapping.hpp"
#include "tests/reports/results/files.hpp"

namespace pageproof::results {
namespace {

using nlohmann::ordered_json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Three that succeed and one that failed after a token, by hand: TTFT 100, 200, 300 ms; latencies 130, 230,
// 300 ms; TPOT 15, 30 ms and none; in 0.4 s.
ordered_json run_with_arrays() {
  return {{"date", "d"},
          {"model_id", "m"},
          {"num_prompts", 4},
          {"request_rate", "inf"},
          {"duration", 0.4},
          {"completed", 3},
          {"failed", 1},
          {"total_input_tokens", 30},
          {"total_output_tokens", 6},
          {"request_throughput", 7.5},
          {"output_throughput", 15.0},
          {"mean_ttft_ms", 200.0},
          {"mean_tpot_ms", 22.5},
          {"input_lens", {10, 10, 10, 10}},
          {"output_lens", {3, 2, 1, 1}},
          {"ttfts", {0.1, 0.2, 0.05, 0.3}},
          {"itls", {{0.01, 0.02}, {0.03}, {0.3, 0.3, 0.3}, ordered_json::array()}},
          {"start_times", {5000.0, 5000.01, 5000.02, 5000.03}},
          {"errors", {"", "", "refused", ""}}};
}

results::Run read_one(const ordered_json& run, ReadOptions options = {}) {
  options.failed_ratio = 0.25;
  return read_text(run.dump(), "run.json", {}, options).runs.at(0);
}

TEST(ArraysWin, OverAggregatesCountsAndRates) {
  EXPECT_THAT(said(read_one(run_with_arrays())), IsEmpty());
  const results::Run run = read_one(changed(run_with_arrays(), {{"mean_tpot_ms", 20.25},
                                                                {"p99_ttft_ms", 250.0},
                                                                {"output_throughput", 16.0},
                                                                {"total_output_tokens", 7}}));
  EXPECT_TRUE(run.valid());
  EXPECT_NEAR(*run.metric("mean_tpot_ms"), 22.5, 1e-9);
  EXPECT_NEAR(*run.metric("p99_ttft_ms"), 298, 1e-9);
  EXPECT_NEAR(*run.metric("output_throughput"), 15, 1e-9);
  EXPECT_EQ(run.total_output_tokens, 6);
  EXPECT_THAT(said(run), ElementsAre("disagreement total_output_tokens 7 its own arrays give 6",
                                     HasSubstr("disagreement mean_tpot_ms 20.25 its own arrays give 22.5"),
                                     HasSubstr("disagreement p99_ttft_ms 250 its own arrays give 298"),
                                     HasSubstr("disagreement output_throughput 16 6 in the duration")));
  EXPECT_THAT(
      said(read_one(changed(run_with_arrays(),
                            {{"duration", 0.3}, {"request_throughput", 10.0}, {"output_throughput", 20.0}}))),
      ElementsAre(HasSubstr("invalid duration 0.3 its own arrays run over 0.33 s")));
}

TEST(ArraysWin, AndTheMedianGapIsOfRequestsThatSucceeded) {
  EXPECT_NEAR(read_one(run_with_arrays()).gaps->step_ms, 1.5 * 20, 1e-9);
}

TEST(GoodputOfRuns, IsRecomputedFromArrays) {
  const Objectives objectives{.ttft_ms = 300, .tpot_ms = 15.1};
  EXPECT_EQ(parse_objectives("ttft:300,tpot:15.1", "--goodput").value(), objectives);
  EXPECT_EQ(parse_objectives("tpot:15.1 ttft:300", "--goodput").value(), objectives);
  EXPECT_EQ(to_string(objectives), "ttft:300,tpot:15.1");
  for (const char* wrong :
       {"", "ttft", "ttft:", "itl:3", "ttft:-1", "ttft:nan", "ttft:1,ttft:2", "ttft:1e400"})
    EXPECT_FALSE(parse_objectives(wrong, "--goodput")) << wrong;
  EXPECT_EQ(to_string(parse_objectives("ttft:x", "--goodput").error()),
            "--goodput: goodput: ttft:x: not a number of ms above 0 and up to 1e12");

  const auto with = [&](const ordered_json& changes, bool keep) {
    return read_one(changed(run_with_arrays(), changes), {.objectives = objectives, .keep_arrays = keep});
  };
  for (const bool keep : {true, false}) {
    const results::Run run = with(ordered_json::object(), keep);
    EXPECT_THAT(said(run), IsEmpty());
    EXPECT_EQ(run.goodput->good,
              2);  // the first, and the one of one token: its TPOT is 0; not the failed one
    EXPECT_DOUBLE_EQ(goodput(run, objectives).value(), 5);
    EXPECT_EQ(goodput(run, {.ttft_ms = 1}).has_value(), keep);  // for others the arrays are needed
  }
  EXPECT_THAT(
      said(with({{"request_goodput", 7.5}}, true)),
      ElementsAre(HasSubstr("note request_goodput 7.5 the file does not say for which objectives; for "
                            "ttft:300,tpot:15.1 its arrays give 5")));
  const results::Run lies = with({{"request_goodput", 7.5}, {"goodput", "ttft:300 tpot:15.1"}}, true);
  EXPECT_THAT(said(lies), ElementsAre(HasSubstr("disagreement request_goodput 7.5 its own arrays give 5")));
  EXPECT_DOUBLE_EQ(*lies.metric("request_goodput"), 5);
  EXPECT_THAT(said(with({{"request_goodput", 5.0}, {"goodput", "ttft:300 tpot:15.1"}}, true)), IsEmpty());
  EXPECT_THAT(said(with({{"request_goodput", 7.5}, {"goodput", "ttft:10"}}, true)), IsEmpty());

  const results::Run none =
      read_text(good_run().dump(), "run.json", {}, {.objectives = objectives}).runs.at(0);
  EXPECT_THAT(said(none), ElementsAre("note goodput ttft:300,tpot:15.1 no arrays of one entry a request: "
                                      "cannot be recomputed"));
  EXPECT_FALSE(goodput(none, objectives));
}

struct Contradiction {
  const char* name;
  ordered_json changes;
  const char* finding;  // empty: none
};

class Contradictions : public testing::TestWithParam<Contradiction> {};

TEST_P(Contradictions, AreSaid) {
  const auto all = said(read_text(changed(good_run(), GetParam().changes).dump()).runs.at(0));
  if (std::string(GetParam().finding).empty()) {
    EXPECT_THAT(all, IsEmpty());
  } else {
    EXPECT_THAT(all, Contains(HasSubstr(GetParam().finding)));
  }
}

const ordered_json kTpotInSeconds = {
    {"mean_tpot_ms", 0.01}, {"median_tpot_ms", 0.0099}, {"std_tpot_ms", 0.0005}, {"p99_tpot_ms", 0.012}};
const ordered_json kNoItl = {
    {"mean_itl_ms", nullptr}, {"median_itl_ms", nullptr}, {"std_itl_ms", nullptr}, {"p99_itl_ms", nullptr}};
const ordered_json kSlow = {{"request_rate", 3.0}, {"max_concurrency", nullptr}};

INSTANTIATE_TEST_SUITE_P(
    Rules, Contradictions,
    testing::Values(
        Contradiction{
            "tpot_seconds_at_a_finite_rate", changed(kTpotInSeconds, kSlow),
            "invalid mean_tpot_ms 0.01 mean_itl_ms is 10, 1000 times it: one of them is in another unit"},
        Contradiction{
            "tpot_seconds_without_itl", changed(kTpotInSeconds, kNoItl),
            "invalid mean_tpot_ms 0.01 seconds taken for ms: 1.43644 requests of mean_ttft_ms + 100 x "
            "mean_tpot_ms run at a time, 16 may, and with 1000 times it 15.6444 do"},
        Contradiction{"no_itl", kNoItl, ""},
        Contradiction{"itl_seconds",
                      {{"mean_itl_ms", 0.01}, {"median_itl_ms", 0.0098}, {"p99_itl_ms", 0.014}},
                      "invalid mean_tpot_ms 10 mean_itl_ms is 0.01, 0.001 times it: one of them"},
        Contradiction{"median_alone",
                      {{"median_tpot_ms", 0.0099}, {"median_itl_ms", 9.9}},
                      "invalid median_tpot_ms 0.0099 median_itl_ms is 9.9, 1000 times it"},
        Contradiction{
            "tokens_of_a_chunk",
            {{"mean_itl_ms", 1100.0}, {"p99_itl_ms", 2000.0}},
            "invalid mean_tpot_ms 10 mean_itl_ms is 1100, 110 times it: more than 100 tokens a chunk"},
        Contradiction{"less_than_a_token",
                      {{"osl", "101"}, {"mean_itl_ms", 4.9}, {"median_itl_ms", 4.8}},
                      "invalid mean_tpot_ms 10 mean_itl_ms is 4.9, 0.49 times it: less than a token a chunk"},
        Contradiction{"sum_of_equal_lengths", {{"osl", "101"}, {"mean_e2el_ms", 1100.0}}, ""},
        Contradiction{"sum_of_equal_lengths_off",
                      {{"osl", "101"}, {"mean_e2el_ms", 1200.0}},
                      "invalid mean_e2el_ms 1200 mean_ttft_ms + 100 x mean_tpot_ms is 1100"},
        Contradiction{"sum_of_other_lengths", {{"mean_e2el_ms", 1120.0}}, ""},
        Contradiction{
            "more_at_a_time_than_may",
            {{"osl", "101"}, {"mean_tpot_ms", 12.0}, {"median_tpot_ms", 12.0}},
            "invalid mean_ttft_ms + 100 x mean_tpot_ms 1300 ms 64 requests of it in 4.5 s are 18.4889 at "
            "a time, and no more than 16 may run"},
        Contradiction{"rate_within", {{"output_throughput", 6464 / 4.5 * 1.009}}, ""},
        Contradiction{
            "rate_beside", {{"request_throughput", 64 / 4.5 * 1.011}}, "invalid request_throughput 14.37866"},
        Contradiction{"mean_of_half_the_median",
                      {{"mean_itl_ms", 4.89}},
                      "invalid mean_itl_ms 4.89 less than half of median_itl_ms 9.8"},
        Contradiction{"mean_just_half_the_median", {{"mean_itl_ms", 4.9}}, ""},
        Contradiction{"lost_requests",
                      {{"num_prompts", 128}},
                      "invalid completed 64 64 of 128 requests failed or were lost; allowed is a share of 0"},
        Contradiction{
            "no_limit_of_zero", {{"max_concurrency", 0}}, "invalid max_concurrency 0 no request may run"},
        Contradiction{
            "large_count", {{"failed", 1e19}}, "invalid failed 1e+19 not a whole number from 0 to 2^53"},
        Contradiction{"no_output_total",
                      {{"total_output_tokens", "REMOVED"}},
                      "note total_output_tokens  missing: lengths and rates are not checked by it"},
        Contradiction{"no_prompts",
                      {{"num_prompts", "REMOVED"}},
                      "note num_prompts  missing: whether requests were lost is not known"},
        Contradiction{"osl_not_verified",
                      {{"osl", "101"}, {"total_output_tokens", "REMOVED"}},
                      "note osl 101 not verified: total_output_tokens is missing"},
        Contradiction{"list_for_a_metric",
                      {{"mean_tpot_ms", {9.4}}},
                      "invalid mean_tpot_ms [9.4] a list, where one value belongs"},
        Contradiction{"list_for_a_rate",
                      {{"output_throughput", {1, 2, 3}}},
                      "invalid output_throughput [1, ...] a list, where one value belongs"},
        Contradiction{
            "list_for_a_tag", {{"setup", {"c"}}}, "invalid setup [\"c\"] a list, where one value belongs"},
        Contradiction{
            "list_of_nobody", {{"colours", {"red"}}}, "note colours [\"red\"] a list: it is not read"},
        Contradiction{"list_of_the_tool", {{"generated_texts", {"a", "b"}}}, ""},
        Contradiction{"object_for_a_metric",
                      {{"mean_tpot_ms", {{"value", 9.4}}}},
                      "invalid mean_tpot_ms.value 9.4 in an object, where one value belongs"},
        Contradiction{"prefill_text",
                      {{"prefill_throughput", "20000 tok/s"}},
                      "invalid prefill_throughput 20000 tok/s not a number of tokens/s above 0"},
        Contradiction{"prefill_number", {{"prefill_throughput", "20000.5"}}, ""}),
    [](const auto& one) { return one.param.name; });

TEST(MissingCounts, ContradictNothing) {
  const auto all =
      said(read_text(changed(good_run(), {{"total_output_tokens", "REMOVED"}}).dump()).runs.at(0));
  EXPECT_THAT(all, ElementsAre(HasSubstr("note total_output_tokens")));  // no rate of input and output
}

TEST(LostRequests, AreWithinTheShareThatMayFail) {
  const ordered_json lost = changed(good_run(), {{"num_prompts", 65}});
  EXPECT_EQ(read_one(lost).failed, 1);
  EXPECT_TRUE(read_one(lost).valid());
}

// A copy that a mapping calls another repeat is the same run.
TEST(Duplicates, AreOfTheFilesOwnContent) {
  const auto mapping = parse_mapping(R"({"files": [{"match": "{setup}/run={rep}.json"}]})", "m.json");
  ASSERT_TRUE(mapping.has_value());
  for (const bool arrays : {false, true}) {
    const std::string run =
        changed(arrays ? run_with_arrays() : good_run(), {{"date", "REMOVED"}, {"model_id", "REMOVED"}})
            .dump();
    const std::vector<NamedText> copies{{"c/run=0.json", run}, {"c/run=1.json", run}};
    const Results results = read_texts(copies, *mapping, {.failed_ratio = 0.25});
    ASSERT_THAT(results.runs, SizeIs(2));
    EXPECT_TRUE(results.runs[0].valid());
    EXPECT_EQ(results.runs[1].tag("rep"), "1");
    EXPECT_THAT(said(results.runs[1]), ElementsAre("invalid date  the same numbers as c/run=0.json"));
    // A list holds the same run as a file of its own.
    const std::vector<NamedText> listed{{"run=0.json", run}, {"summary.json", "[" + run + "]"}};
    EXPECT_THAT(read_texts(listed, {}, {}).runs, SizeIs(1));
  }
}

}  // namespace
}  // namespace pageproof::results
