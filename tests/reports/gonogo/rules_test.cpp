// The edge cases of the counting rule, its power, the noise and the gaps: each by name.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <random>

#include "reports/gonogo/gaps.hpp"
#include "reports/gonogo/inputs.hpp"
#include "reports/gonogo/laws.hpp"
#include "reports/gonogo/power.hpp"
#include "reports/gonogo/rule.hpp"

namespace pageproof::gonogo {
namespace {

using Values = std::vector<double>;

std::string outcome(const Values& treated, const Values& comparator, Better better = Better::lower) {
  const Comparison one = compare(treated, comparator, better, Choices{});
  return std::string(to_string(one.outcome)) + "/" + std::string(to_string(one.tie));
}

TEST(Counting, IdenticalValuesAreNull) {
  EXPECT_EQ(outcome({10, 10, 10}, {10, 10, 10}), "TIE/NULL");
  EXPECT_EQ(outcome({9, 10, 11}, {9, 10, 11}), "TIE/NULL");
}

TEST(Counting, TouchingRangesOverlap) {
  EXPECT_EQ(outcome({90, 95, 100}, {100, 105, 110}), "TIE/NOISY");
  EXPECT_EQ(outcome({90, 95, 99.999}, {100, 105, 110}), "WIN/");
  EXPECT_EQ(outcome({110, 115, 120}, {100, 105, 110}, Better::higher), "TIE/NOISY");
}

TEST(Counting, ExactlyThreePercentCountsInBothDirectionsAndOrientations) {
  EXPECT_EQ(outcome({97, 97, 97}, {100, 100, 100}), "WIN/");
  EXPECT_EQ(outcome({103, 103, 103}, {100, 100, 100}), "LOSS/");
  EXPECT_EQ(outcome({103, 103, 103}, {100, 100, 100}, Better::higher), "WIN/");
  EXPECT_EQ(outcome({97, 97, 97}, {100, 100, 100}, Better::higher), "LOSS/");
}

// 1 - 0.0194 / 0.02 is below 0.03 in binary.
TEST(Counting, ExactlyThreePercentCountsWhateverTheUnit) {
  EXPECT_EQ(outcome({0.0194, 0.0194, 0.0194}, {0.02, 0.02, 0.02}), "WIN/");
  EXPECT_EQ(outcome({0.0194001, 0.0194001, 0.0194001}, {0.02, 0.02, 0.02}), "TIE/SMALL");
}

// 100 -> 97 is a gain of 3.0 %, not of 100 / 97 - 1 = 3.09 %.
TEST(Counting, AGainIsRelativeToTheComparator) {
  const Comparison one = compare(Values{97, 97, 97}, Values{100, 100, 100}, Better::lower, Choices{});
  EXPECT_NEAR(one.gain, 0.03, 1e-12);
  EXPECT_EQ(outcome({97.05, 97.05, 97.05}, {100, 100, 100}), "TIE/SMALL");
}

TEST(Counting, OneOutlierRunMakesNoise) {
  EXPECT_EQ(outcome({90, 90.1, 90.2}, {100, 100.1, 100.2}), "WIN/");
  EXPECT_EQ(outcome({90, 90.1, 120}, {100, 100.1, 100.2}), "TIE/NOISY");
  EXPECT_EQ(outcome({90, 90.1, 90.2}, {89, 100.1, 100.2}), "TIE/NOISY");
}

TEST(Counting, UnequalNumbersOfRepeatsAreCompared) {
  EXPECT_EQ(outcome({90, 91, 92}, {100, 101, 102, 103, 104}), "WIN/");
  EXPECT_EQ(outcome({90, 91, 92, 93}, {96, 97, 98}), "WIN/");           // the median of four is 91.5
  EXPECT_EQ(outcome({94, 94, 94.2, 94.2}, {97, 97, 97}), "TIE/SMALL");  // 94.1: 2.99 %
}

Evidence decode(const Values& ttft_t, const Values& ttft_c, const Values& tpot_t, const Values& tpot_c) {
  Evidence out;
  out.ttft = compare(ttft_t, ttft_c, Better::lower, Choices{});
  out.tpot = compare(tpot_t, tpot_c, Better::lower, Choices{});
  out.output_throughput = compare(Values{100, 100, 100}, Values{100, 100, 100}, Better::higher, Choices{});
  return out;
}

TEST(RuleA, AnUnclearTtftIsNeverAPass) {
  const Evidence evidence = decode({1000, 1040, 1050}, {1000, 1000, 1010}, {90, 90, 90}, {100, 100, 100});
  const RuleVerdict verdict = rule_a(evidence, Choices{});
  EXPECT_EQ(verdict.holds, Truth::unknown);
  EXPECT_THAT(verdict.why, testing::HasSubstr("TTFT not known to be equal"));
}

TEST(RuleA, ABetterTtftIsEqualUnlessAskedForBothSides) {
  const Evidence evidence = decode({900, 900, 900}, {1000, 1000, 1000}, {90, 90, 90}, {100, 100, 100});
  EXPECT_EQ(rule_a(evidence, Choices{}).holds, Truth::yes);
  Choices two_sided;
  two_sided.ttft = Ttft::two_sided;
  EXPECT_EQ(rule_a(evidence, two_sided).holds, Truth::no);
}

TEST(RuleA, AWinByNoiseAloneFailsOrStaysOpen) {
  const Evidence evidence = decode({1000, 1000, 1000}, {1000, 1000, 1000}, {90, 90, 101}, {100, 100, 100});
  const RuleVerdict verdict = rule_a(evidence, Choices{});
  EXPECT_EQ(verdict.holds, Truth::no);
  EXPECT_TRUE(verdict.noisy);
  Choices open;
  open.noisy = Doubt::unknown;
  EXPECT_EQ(rule_a(evidence, open).holds, Truth::unknown);
}

// The loss that a file does not tell: with it rule A fails, without it nobody knows.
TEST(RuleA, AWinBesideWhatNobodyMeasuredIsOpen) {
  Evidence evidence = decode({1000, 1000, 1000}, {1000, 1000, 1000}, {90, 90, 90}, {100, 100, 100});
  EXPECT_EQ(rule_a(evidence, Choices{}).holds, Truth::yes);
  evidence.output_throughput = compare(Values{80, 80, 80}, Values{100, 100, 100}, Better::higher, Choices{});
  EXPECT_EQ(rule_a(evidence, Choices{}).holds, Truth::no);
  for (const Doubt unmeasured : {Doubt::counts_not, Doubt::unknown}) {
    Choices choices;
    choices.unmeasured = unmeasured;
    evidence.output_throughput.reset();
    const RuleVerdict verdict = rule_a(evidence, choices);
    EXPECT_EQ(verdict.holds, Truth::unknown);
    EXPECT_THAT(verdict.why, testing::HasSubstr("output throughput not measured: it could have lost"));
  }
}

TEST(RuleB, WithoutPrefillThroughputTtftDecidesOrStaysOpen) {
  const Evidence evidence = decode({1000, 1000, 1000}, {1000, 1000, 1000}, {100, 100, 100}, {100, 100, 100});
  EXPECT_EQ(rule_b(evidence, Choices{}).holds, Truth::no);
  Choices open;
  open.unmeasured = Doubt::unknown;
  EXPECT_EQ(rule_b(evidence, open).holds, Truth::unknown);
}

// A loss of 2.5 % never counts as a LOSS of 3 %; the guard sees it all the same.
TEST(RuleB, TheGuardIsNotTheCountingRule) {
  const Evidence evidence =
      decode({900, 900, 900}, {1000, 1000, 1000}, {102.5, 102.5, 102.5}, {100, 100, 100});
  EXPECT_EQ(evidence.tpot->outcome, Outcome::tie);
  EXPECT_EQ(rule_b(evidence, Choices{}).holds, Truth::no);
}

TEST(Cells, AnyMajorityAll) {
  const Weighed yes{Truth::yes, 1};
  const Weighed no{Truth::no, 1};
  const Weighed open{Truth::unknown, 1};
  const std::vector<Weighed> half{yes, no};
  EXPECT_EQ(over_cells(half, Aggregation::any), Truth::yes);
  EXPECT_EQ(over_cells(half, Aggregation::majority), Truth::no);
  EXPECT_EQ(over_cells(half, Aggregation::all), Truth::no);
  const std::vector<Weighed> unsettled{yes, open, no};
  EXPECT_EQ(over_cells(unsettled, Aggregation::majority), Truth::unknown);
  EXPECT_EQ(over_cells(std::vector<Weighed>{open, no}, Aggregation::any), Truth::unknown);
  EXPECT_EQ(over_cells(std::vector<Weighed>{open, yes}, Aggregation::all), Truth::unknown);
  EXPECT_EQ(over_cells(std::vector<Weighed>{{Truth::yes, 3}, {Truth::no, 2}}, Aggregation::weights),
            Truth::yes);
  EXPECT_EQ(over_cells(std::vector<Weighed>{}, Aggregation::any), Truth::unknown);
}

double win(std::uint32_t runs, double cv, double gain) {
  return win_probability({.treated_runs = runs,
                          .comparator_runs = runs,
                          .treated_cv = cv,
                          .comparator_cv = cv,
                          .gain = gain})
      .value;
}

// The table of simulation notes §3, made there by sampling 200,000 times.
TEST(Power, ReproducesTheTable) {
  struct Line {
    std::uint32_t runs;
    double cv;
    std::array<double, 7> win;  // at 0, 2, 3, 4, 5, 6, 8 %
  };
  const Line table[] = {
      {3, 0.005, {0, .015, .50, .99, 1, 1, 1}},         {3, 0.01, {0, .12, .48, .86, .985, 1, 1}},
      {3, 0.02, {.016, .15, .32, .53, .73, .88, .985}}, {3, 0.03, {.032, .13, .22, .34, .48, .62, .84}},
      {5, 0.01, {0, .057, .43, .89, .994, 1, 1}},       {5, 0.02, {.001, .048, .16, .36, .59, .79, .97}}};
  const std::array<double, 7> gains = {0, .02, .03, .04, .05, .06, .08};
  for (const Line& line : table) {
    for (std::size_t i = 0; i < gains.size(); ++i) {
      EXPECT_NEAR(win(line.runs, line.cv, gains[i]), line.win[i], 0.0055)
          << line.runs << " " << line.cv << " " << gains[i];
    }
  }
}

TEST(Power, ATrueThreePercentIsACoinFlipAtBest) {
  for (const std::uint32_t runs : {2U, 3U, 4U, 5U, 7U, 9U}) {
    for (const double cv : {0.001, 0.005, 0.01, 0.02})
      EXPECT_LE(win(runs, cv, 0.03), 0.502) << runs << " " << cv;
  }
}

// Ranges apart under no effect: 1 / C(2n, n) for each of the two orders; theta of 0 and no distance leave
// only that.
TEST(Power, RangesApartWithoutEffectAreCombinatorics) {
  for (const auto& [runs, ways] : {std::pair(3U, 20.0), std::pair(5U, 252.0), std::pair(4U, 70.0)}) {
    const Probability found =
        win_probability({.treated_runs = runs, .comparator_runs = runs, .gain = 0, .win_share = 0});
    EXPECT_NEAR(found.value, 1 / ways, 1e-6 + 4 * found.error) << runs;
  }
}

// The integral against its own sampling, with other numbers on the two sides.
TEST(Power, TheIntegralIsWhatSamplingGives) {
  const PowerQuestion question{.treated_runs = 3,
                               .comparator_runs = 5,
                               .treated_cv = 0.012,
                               .comparator_cv = 0.02,
                               .gain = 0.05,
                               .win_share = 0.03,
                               .better = Better::higher};
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  constexpr int kDraws = 40'000;
  int wins = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    Values treated(3);
    Values comparator(5);
    for (double& value : treated) value = 1.05 * (1 + 0.012 * normal(random));
    for (double& value : comparator) value = 1 + 0.02 * normal(random);
    wins += compare(treated, comparator, Better::higher, Choices{}).outcome == Outcome::win;
  }
  const double sampled = static_cast<double>(wins) / kDraws;
  EXPECT_NEAR(win_probability(question).value, sampled, 4 * std::sqrt(0.25 / kDraws));
}

TEST(Power, MoreRepeatsDoNotAlwaysHelp) {
  const Repeats noisy = repeats_needed({.treated_cv = 0.02, .comparator_cv = 0.02, .gain = 0.05}, 3, 0.8);
  EXPECT_FALSE(noisy.needed);
  EXPECT_EQ(noisy.best, 3U);
  const Repeats quiet = repeats_needed({.treated_cv = 0.01, .comparator_cv = 0.01, .gain = 0.04}, 3, 0.88);
  EXPECT_EQ(quiet.needed, 4U);
  // Whatever was run: five repeats of a noise that three see as well need three.
  const PowerQuestion five{
      .treated_runs = 5, .comparator_runs = 5, .treated_cv = 0.005, .comparator_cv = 0.005, .gain = 0.05};
  EXPECT_EQ(repeats_needed(five, 3, 0.8).needed, 3U);
  EXPECT_EQ(repeats_needed(five, 20, 0.8).needed, 20U);
  EXPECT_FALSE(repeats_needed({.treated_cv = 0.005, .comparator_cv = 0.005, .gain = 0.03}, 3, 0.8).needed);
}

// Two requests run; a third arrives. Steps of 10 ms; the step before the third's first token takes 5 ms more.
TEST(Gaps, AnArrivalCostsWhatItsConversionTook) {
  results::Detailed all;
  const auto request = [&](double start, double ttft, const Values& gaps) {
    all.start_s.push_back(start);
    all.ttft_s.push_back(ttft);
    double latency = ttft;
    for (const double gap : gaps) latency += gap;
    all.latency_s.push_back(latency);
    all.succeeded.push_back(1);
    if (all.gap_begin.empty()) all.gap_begin.push_back(0);
    all.gaps_s.insert(all.gaps_s.end(), gaps.begin(), gaps.end());
    all.gap_begin.push_back(all.gaps_s.size());
  };
  const Values slow{.010, .010, .010, .010, .015, .010, .010, .010};
  request(0, 0.100, slow);
  request(0, 0.100, slow);
  request(0, 0.1651, {.010, .010});  // the step after the slow one yields its first token
  results::Run run;
  run.detailed = all;
  const auto cost = gap_cost(run);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->pairs, 2U);
  EXPECT_NEAR(cost->clean_mean_ms(), 10, 1e-9);
  ASSERT_TRUE(cost->arrival_ms());
  EXPECT_NEAR(*cost->arrival_ms(), 5, 1e-6);
  const GapDifference apart = difference(
      "c", *cost, "b",
      GapCost{.clean = 10, .interfered = 2, .pairs = 1, .clean_sum_ms = 100, .interfered_sum_ms = 21});
  ASSERT_TRUE(apart.arrival_ms);
  EXPECT_NEAR(*apart.arrival_ms, 4, 1e-6);
}

TEST(Laws, HoldAndEveryFaultBreaksOne) {
  const LawResult found = check_laws(kLaw, 3, 1000);
  EXPECT_GT(found.cases, 5000U);
  for (const Failure& failure : found.failures) ADD_FAILURE() << to_string(failure);
  EXPECT_GE(faults().size(), 25U);
  for (const Fault& fault : faults()) {
    EXPECT_FALSE(check_laws(fault.terms, 3, 500).failures.empty()) << fault.name << ": " << fault.meaning;
  }
}

TEST(Inputs, APlanAndItsErrors) {
  const auto plan = parse_plan(
      R"({"cells": [{"model": "M", "workload": "cold", "pd": "1:1", "isl": 4096, "osl": 128, "load": "c64", "batch": 48},
                    {"isl": 4096, "osl": 128, "load": "r6", "infeasible": "does not fit"}]})",
      "plan.json");
  ASSERT_TRUE(plan) << to_string(plan.error());
  ASSERT_EQ(plan->size(), 2U);
  EXPECT_EQ(to_string((*plan)[0].key), "M cold isl4096 osl128 c64 pd1:1");
  EXPECT_EQ((*plan)[1].infeasible, "does not fit");
  const auto refused = [](const char* text) { return to_string(parse_plan(text, "plan.json").error()); };
  EXPECT_EQ(refused("{"), "plan.json: plan: not JSON");
  EXPECT_EQ(refused("{}"), "plan.json: cells: absent: a plan is {\"cells\": [...]}");
  EXPECT_EQ(refused(R"({"cells": [{"isl": -1, "osl": 1, "load": 4}]})"),
            "plan.json: cells[0].isl: -1: not a count of tokens");
  EXPECT_EQ(refused(R"({"cells": [{"isl": 1, "osl": 1, "load": "x4"}]})"),
            "plan.json: cells[0].load: \"x4\": not a load such as c64 or r6");
  EXPECT_EQ(refused(R"({"cells": [{"isl": 1, "osl": 2, "load": 4}, {"isl": 1, "osl": 2, "load": "c4"}]})"),
            "plan.json: cells[1]: - - isl1 osl2 c4 pd-: the same cell twice");
  EXPECT_EQ(refused(R"({"cells": [{"isl": 1, "osl": 2, "load": 4, "batchh": 48}]})"),
            "plan.json: cells[0].batchh: 48: no key of a planned cell");
  EXPECT_EQ(refused(R"({"cells": [], "extra": 1})"), "plan.json: extra: 1: no key of a plan");
  EXPECT_EQ(to_string(parse_weights(R"({"x": -1})", "w.json").error()),
            "w.json: x: -1: not a weight of 0 or more");
  EXPECT_EQ(to_string(parse_weights(R"({"x": 0})", "w.json").error()),
            "w.json: weights: {\"x\":0}: all weights are 0");
}

}  // namespace
}  // namespace pageproof::gonogo
