// What is computed from arrays, and what is found wrong with a run.
#include <gmock/gmock.h>

#include <cmath>

#include "reports/results/client.hpp"
#include "reports/results/goodput.hpp"
#include "reports/results/recompute.hpp"
#include "reports/results/statistics.hpp"
#include "tests/reports/results/files.hpp"

namespace pageproof::results {
namespace {

using nlohmann::ordered_json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Statistics, AreNumpys) {
  const std::vector<double> values{4, 1, 3, 2};
  const auto statistic = [&](const char* name) {
    std::vector<double> copy = values;
    return Statistic::named(name)->of(copy);
  };
  EXPECT_DOUBLE_EQ(statistic("p25"), 1.75);
  EXPECT_DOUBLE_EQ(statistic("median"), 2.5);
  EXPECT_DOUBLE_EQ(statistic("p99"), 3.97);
  EXPECT_DOUBLE_EQ(statistic("p99.9"), 3.997);
  EXPECT_DOUBLE_EQ(statistic("min"), 1);
  EXPECT_DOUBLE_EQ(statistic("max"), 4);
  EXPECT_DOUBLE_EQ(statistic("mean"), 2.5);
  EXPECT_DOUBLE_EQ(statistic("std"), std::sqrt(1.25));  // divided by n
  for (const char* name : {"p", "p101", "pct", "p-1", "p5x", "average", ""})
    EXPECT_FALSE(Statistic::named(name)) << name;
  std::vector<double> one{7};
  EXPECT_EQ(percentile(one, 99), 7);
  EXPECT_EQ(Statistic::named("mean")->of({}), 0);
}

// Three requests and one that failed. Written out: TTFT 100, 200, 300 ms; gaps 10 20 | 30 | none.
ordered_json detailed_run() {
  return {{"date", "20260816-160853"},
          {"model_id", "m"},
          {"num_prompts", 4},
          {"request_rate", "inf"},
          {"max_concurrency", nullptr},
          {"duration", 0.4},
          {"completed", 3},
          {"failed", 1},
          {"total_input_tokens", 30},
          {"total_output_tokens", 6},
          {"mean_ttft_ms", 200.0},
          {"median_ttft_ms", 200.0},
          {"std_ttft_ms", std::sqrt(20000.0 / 3)},
          {"p99_ttft_ms", 298.0},
          {"mean_tpot_ms", 22.5},
          {"median_tpot_ms", 22.5},
          {"std_tpot_ms", 7.5},
          {"mean_itl_ms", 20.0},
          {"p90_itl_ms", 28.0},
          {"mean_e2el_ms", 220.0},
          {"input_lens", {10, 10, 10, 10}},
          {"output_lens", {3, 2, 0, 1}},
          {"ttfts", {0.1, 0.2, 0.0, 0.3}},
          {"itls", {{0.01, 0.02}, {0.03}, ordered_json::array(), ordered_json::array()}},
          {"start_times", {5000.0, 5000.01, 5000.02, 5000.03}},
          {"generated_texts", {"a", "b", "", "c"}},
          {"errors", {"", "", "Traceback: refused", ""}}};
}

std::vector<std::string> said_but_failures(const ordered_json& run) {
  ReadOptions lenient;
  lenient.failed_ratio = 0.25;
  return said(read_text(run.dump(), "run.json", {}, lenient).runs.at(0));
}

TEST(Arrays, GiveTheFilesOwnAggregates) {
  EXPECT_THAT(said_but_failures(detailed_run()), IsEmpty());
  const results::Run run = read_text(detailed_run().dump()).runs.at(0);
  EXPECT_THAT(said(run), ElementsAre(HasSubstr("invalid failed 1 1 of 4 requests failed")));
  EXPECT_NEAR(*run.metric("median_itl_ms"), 20, 1e-9);
  EXPECT_NEAR(*run.metric("p99_e2el_ms"), 230 + 0.98 * 70, 1e-9);
  EXPECT_THAT(run.detailed->succeeded, ElementsAre(1, 1, 0, 1));
  EXPECT_NEAR(run.detailed->latency_s[0], 0.13, 1e-12);
  ReadOptions frugal;
  frugal.keep_arrays = false;
  const results::Run light = read_text(detailed_run().dump(), "run.json", {}, frugal).runs.at(0);
  EXPECT_FALSE(light.detailed);
  EXPECT_TRUE(light.gaps);
}

TEST(Arrays, WhatTheyDoNotGiveIsNamed) {
  struct Case {
    ordered_json changes;
    const char* finding;
  };
  const Case cases[]{
      {{{"p99_ttft_ms", 299.0}}, "disagreement p99_ttft_ms 299 its own arrays give 298"},
      {{{"std_tpot_ms", 10.606601717798213}},
       "disagreement std_tpot_ms 10.606601717798213 its own arrays give 7.5"},
      {{{"mean_itl_ms", 0.02}}, "invalid mean_itl_ms 0.02 seconds taken for ms: its own arrays give 20"},
      {{{"total_output_tokens", 7}}, "disagreement total_output_tokens 7 its own arrays give 6"},
      {{{"completed", 4}, {"failed", 0}}, "disagreement completed 4 its own arrays give 3"},
      {{{"ttfts", {0.1, 0.2, 0.0}}}, "invalid itls 4 entries ttfts has 3"},
      {{{"output_lens", {3, 2, 0}}}, "invalid output_lens 3 entries ttfts has 4"},
      {{{"errors", {"", ""}}}, "invalid errors 2 entries ttfts has 4"},
      {{{"ttfts", {0.1, -0.2, 0.0, 0.3}}}, "invalid ttfts[1] -0.2 not a number from 0 to 1e+09"},
      {{{"ttfts", {0.1, 1e300, 0.0, 0.3}}}, "invalid ttfts[1] 1e+300 not a number from 0 to 1e+09"},
      {{{"output_lens", {3, 2.5, 0, 1}}}, "invalid output_lens[1] 2.5 not a whole number from 0 to 4e+09"},
      {{{"ttfts", {0.1, nullptr, 0.0, 0.3}}}, "invalid ttfts[1] null not a finite number"},
      {{{"itls", {{0.01, 0.02}, {"inf"}, ordered_json::array(), ordered_json::array()}}},
       "invalid itls[1][0] inf not a finite number"},
      {{{"itls", {0.1, 0.2, 0.3, 0.4}}}, "invalid itls 4 numbers expected a list of lists, one a request"},
      {{{"itls", "REMOVED"}}, "note itls  missing: the other arrays are not used"}};
  for (const Case& one : cases) {
    EXPECT_THAT(said_but_failures(changed(detailed_run(), one.changes)), Contains(one.finding))
        << one.changes;
  }
}

TEST(Arrays, ARequestThatFailedHalfWayIsFailed) {
  const ordered_json changes = {{"output_lens", {3, 2, 1, 1}}, {"ttfts", {0.1, 0.2, 0.15, 0.3}}};
  EXPECT_THAT(said_but_failures(changed(detailed_run(), changes)), IsEmpty());
}

TEST(Arrays, OlderFilesHaveFewer) {
  const ordered_json changes = {{"start_times", "REMOVED"},
                                {"errors", "REMOVED"},
                                {"input_lens", "REMOVED"},
                                {"latencies", {0.13, 0.23, 0.0, 0.3}}};
  const results::Run run = read_text(changed(detailed_run(), changes).dump()).runs.at(0);
  ASSERT_TRUE(run.detailed);
  EXPECT_THAT(run.detailed->succeeded, ElementsAre(1, 1, 0, 1));  // no output token: failed
  EXPECT_FALSE(run.batch);
  EXPECT_FALSE(run.gaps);
}

TEST(Goodput, CountsRequestsThatMeetEveryObjective) {
  const Detailed detailed = *read_text(detailed_run().dump()).runs.at(0).detailed;
  EXPECT_EQ(good_requests(detailed, {}), 3);
  EXPECT_EQ(good_requests(detailed, {.ttft_ms = 200}), 2);  // equal is met
  EXPECT_EQ(good_requests(detailed, {.ttft_ms = 199.9}), 1);
  EXPECT_EQ(good_requests(detailed, {.tpot_ms = 15.1}), 2);  // one token: TPOT 0
  EXPECT_EQ(good_requests(detailed, {.ttft_ms = 300, .tpot_ms = 15.1, .e2el_ms = 299}), 1);
  EXPECT_EQ(goodput(detailed, {.ttft_ms = 200}, 0.4), 5);
}

// Two requests: decoding from 1.0 to 2.0 s and from 1.5 to 1.75 s.
Detailed two_requests() {
  Detailed detailed{.start_s = {0, 0.5},
                    .ttft_s = {1, 1},
                    .latency_s = {2, 1.25},
                    .input_tokens = {1, 1},
                    .output_tokens = {5, 3},
                    .succeeded = {1, 1},
                    .gaps_s = {0.25, 0.5, 0.125, 0.125, 0.125, 0.125},
                    .gap_begin = {0, 4, 6}};
  return detailed;
}

TEST(Client, DecodeBatchIsATimeAverage) {
  const DecodeBatch batch = decode_batch(two_requests()).value();
  EXPECT_DOUBLE_EQ(batch.seconds, 1);
  EXPECT_DOUBLE_EQ(batch.mean, 1.25);
  EXPECT_EQ(batch.p10, 1);
  EXPECT_EQ(batch.median, 1);
  EXPECT_EQ(batch.most, 2);
  Detailed failed = two_requests();
  failed.succeeded = {1, 0};
  EXPECT_DOUBLE_EQ(decode_batch(failed)->mean, 1);
  failed.succeeded = {0, 0};
  EXPECT_FALSE(decode_batch(failed));
  EXPECT_FALSE(decode_batch(Detailed{}));
  const results::Run run = read_text(good_run().dump()).runs.at(0);
  EXPECT_NEAR(decode_batch_by_rate(run).value(), 6464 / 4.5 * 0.01, 1e-9);
  const results::Run median = read_text(changed(good_run(), {{"mean_tpot_ms", nullptr}}).dump()).runs.at(0);
  EXPECT_NEAR(decode_batch_by_rate(median).value(), 6464 / 4.5 * 0.0099, 1e-9);
}

TEST(Client, AGapWithAnothersFirstTokenIsInterfered) {
  // The second's first token, at 1.5 s, falls into the first's gap from 1.25 to 1.75; the first's, at 1.0,
  // into none.
  const GapSplit split = split_gaps(two_requests(), 0.0).value();
  EXPECT_EQ(split.interfered.count, 1);
  EXPECT_DOUBLE_EQ(split.interfered.mean_ms, 500);
  EXPECT_EQ(split.clean.count, 5);
  EXPECT_DOUBLE_EQ(split.clean.mean_ms, 150);
  // A step of 250 ms after a gap counts, too: the gap from 1.0 to 1.25.
  EXPECT_EQ(split_gaps(two_requests(), 0.25)->interfered.count, 2);
  EXPECT_DOUBLE_EQ(split_gaps(two_requests())->step_ms, 187.5);
  // At the border of two gaps it comes in the first of them.
  Detailed border = two_requests();
  border.start_s[1] = 0.25;
  EXPECT_EQ(split_gaps(border, 0.0)->interfered.count, 1);
  EXPECT_DOUBLE_EQ(split_gaps(border, 0.0)->interfered.mean_ms, 250);
}

struct Finding_ {
  const char* name;
  ordered_json changes;
  const char* finding;  // empty: none
};

class RunValidity : public testing::TestWithParam<Finding_> {};

TEST_P(RunValidity, IsSaidWithItsReason) {
  const auto all = said(read_text(changed(good_run(), GetParam().changes).dump()).runs.at(0));
  if (std::string(GetParam().finding).empty()) {
    EXPECT_THAT(all, IsEmpty());
  } else {
    EXPECT_THAT(all, Contains(HasSubstr(GetParam().finding)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, RunValidity,
    testing::Values(
        Finding_{"good", ordered_json::object(), ""},
        Finding_{"no_completed", {{"completed", "REMOVED"}}, "invalid completed  missing"},
        Finding_{"some_failed",
                 {{"failed", 1}, {"completed", 63}},
                 "invalid failed 1 1 of 64 requests failed; allowed is a share of 0"},
        Finding_{"failed_not_said",
                 {{"failed", "REMOVED"}, {"completed", 63}},
                 "invalid completed 63 1 of 64 requests failed or were lost"},
        Finding_{"more_completed",
                 {{"completed", 65}, {"failed", "REMOVED"}},
                 "invalid completed 65 num_prompts is 64"},
        Finding_{"osl", {{"osl", "101"}}, ""},
        Finding_{"osl_within", {{"osl", "101"}, {"total_output_tokens", 6440}}, ""},
        Finding_{"osl_beside",
                 {{"osl", "102"}},
                 "invalid total_output_tokens 6464 64 requests of 102 osl tokens are 6528"},
        Finding_{"isl_within", {{"isl", "1009"}}, ""},
        Finding_{"isl_beside", {{"isl", "1011"}}, "invalid total_input_tokens 64000"},
        Finding_{"isl_no_number", {{"isl", "4k"}}, "invalid isl 4k no number of tokens"},
        Finding_{"zero", {{"mean_tpot_ms", 0.0}}, "invalid mean_tpot_ms 0 not above 0"},
        Finding_{"negative", {{"p99_itl_ms", -1.0}}, "invalid p99_itl_ms -1 not above 0"},
        Finding_{"inf", {{"mean_tpot_ms", "inf"}}, "invalid mean_tpot_ms inf not a finite number"},
        Finding_{"null_latency", {{"mean_tpot_ms", nullptr}}, ""},
        Finding_{"no_latency_at_all",
                 {{"mean_ttft_ms", nullptr},
                  {"median_ttft_ms", nullptr},
                  {"std_ttft_ms", nullptr},
                  {"p99_ttft_ms", nullptr},
                  {"mean_tpot_ms", nullptr},
                  {"median_tpot_ms", nullptr},
                  {"std_tpot_ms", nullptr},
                  {"p99_tpot_ms", nullptr},
                  {"mean_itl_ms", nullptr},
                  {"median_itl_ms", nullptr},
                  {"std_itl_ms", nullptr},
                  {"p99_itl_ms", nullptr}},
                 "invalid mean_ttft_ms  missing, as every other latency"},
        Finding_{
            "rate_inf_number", {{"request_rate", "much"}}, "invalid request_rate much not a finite number"},
        Finding_{"duration_zero", {{"duration", 0.0}}, "invalid duration 0 not above 0"},
        Finding_{"count_fraction", {{"completed", 63.5}}, "invalid completed 63.5 not a whole number"},
        Finding_{"count_negative", {{"completed", -1}}, "invalid completed -1 not a whole number"},
        Finding_{"count_text", {{"num_prompts", "64"}}, "invalid num_prompts 64 not a whole number"},
        Finding_{"order", {{"p99_ttft_ms", 98.0}}, "invalid p99_ttft_ms 98 below median_ttft_ms 99"},
        Finding_{"order_units", {{"p99_ttft_ms", 0.130}}, "of different units"},
        Finding_{"rate_off", {{"output_throughput", 1300.0}}, "invalid output_throughput 1300"},
        Finding_{"duration_in_ms",
                 {{"duration", 4500.0}},
                 "are 1.43644 a second: the rate or the duration is in another unit"},
        Finding_{"rate_a_millisecond",
                 {{"output_throughput", 6464 / 4500.0}},
                 "are 1436.44 a second: the rate or the duration is in another unit"},
        // Units, by relations. All latencies in seconds: 64 requests of 1.1 ms cannot fill 4.5 s.
        Finding_{"all_seconds",
                 {{"mean_ttft_ms", 0.1},
                  {"median_ttft_ms", 0.099},
                  {"p99_ttft_ms", 0.13},
                  {"mean_tpot_ms", 0.01},
                  {"median_tpot_ms", 0.0099},
                  {"p99_tpot_ms", 0.012},
                  {"mean_itl_ms", 0.01},
                  {"median_itl_ms", 0.0098},
                  {"p99_itl_ms", 0.014}},
                 "invalid mean_ttft_ms + 100 x mean_tpot_ms 1.1 ms seconds taken for ms: 64 requests of it, "
                 "sent as fast"},
        Finding_{"tpot_seconds",
                 {{"mean_tpot_ms", 0.01}, {"mean_e2el_ms", 1100.0}},
                 "invalid mean_tpot_ms 0.01 less than half of median_tpot_ms 9.9, which no times have: of "
                 "different units"},
        Finding_{"e2el_seconds",
                 {{"mean_e2el_ms", 1.1}},
                 "invalid mean_e2el_ms 1.1 seconds taken for ms: mean_e2el_ms = mean_ttft_ms + 100 x "
                 "mean_tpot_ms holds"},
        Finding_{"tpot_seconds_long",
                 {{"mean_ttft_ms", 10.0}, {"mean_tpot_ms", 0.01}, {"mean_e2el_ms", 1010.0}},
                 "invalid mean_tpot_ms 0.01 seconds taken for ms"},
        Finding_{"more_than_may_run",
                 {{"max_concurrency", 1}, {"mean_e2el_ms", 1100.0}},
                 "invalid mean_e2el_ms 1100 ms 64 requests of it in 4.5 s are 15.6444 at a time, and no "
                 "more than 1 may run"},
        // A finite rate leaves the server idle in between: nothing is proved.
        Finding_{"slow_rate",
                 {{"request_rate", 0.1},
                  {"duration", 640.0},
                  {"mean_ttft_ms", 0.1},
                  {"median_ttft_ms", 0.099},
                  {"p99_ttft_ms", 0.13},
                  {"request_throughput", 0.1},
                  {"output_throughput", 10.1},
                  {"total_token_throughput", 110.1}},
                 ""},
        Finding_{"one_token",
                 {{"total_output_tokens", 64},
                  {"mean_tpot_ms", 0.0},
                  {"median_tpot_ms", 0.0},
                  {"p99_tpot_ms", 0.0},
                  {"mean_itl_ms", 0.0},
                  {"median_itl_ms", 0.0},
                  {"p99_itl_ms", 0.0},
                  {"duration", 0.5},
                  {"request_throughput", 128.0},
                  {"output_throughput", 128.0},
                  {"total_token_throughput", 128128.0}},
                 "note total_output_tokens  one token a request: no TPOT and no ITL"}),
    [](const auto& one) { return one.param.name; });

TEST(InferenceXUnits, MillisecondsUnderKeysOfSecondsAreFound) {
  const Results results = read_text(R"({"date": "20260213-135636", "num_prompts": 160, "request_rate": "inf",
      "max_concurrency": 16, "duration": 214.6, "completed": 160, "total_input_tokens": 1638400, "total_output_tokens": 20480,
      "median_ttft": 3138.0, "median_e2el": 21447.0, "median_tpot": 141.0})");
  EXPECT_THAT(said(results.runs.at(0)),
              ElementsAre(HasSubstr("invalid median_e2el_ms 2.1447e+07 ms ms taken for seconds")));
}

TEST(Speculative, GapsMayBeLongerThanTheTimeOfAToken) {
  const ordered_json changes = {{"mean_itl_ms", 93.0}, {"median_itl_ms", 60.0}, {"p99_itl_ms", 564.0}};
  EXPECT_THAT(said(read_text(changed(good_run(), changes).dump()).runs.at(0)), IsEmpty());
}

}  // namespace
}  // namespace pageproof::results
