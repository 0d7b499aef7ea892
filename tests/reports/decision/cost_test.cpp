// The RFC's figures: one test a number, with the RFC's rounding; the mutants; the sheet of one shape.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "reports/decision/cost_sheet.hpp"
#include "reports/decision/rfc_figures.hpp"

namespace pageproof::decision {
namespace {

ModelShape dense() {
  return *serving::model_preset("qwen3-8b");
}
ModelShape sparse() {
  return *serving::model_preset("qwen3-30b-a3b");
}
Device mi300x() {
  return *serving::device_preset("mi300x");
}

// To the given number of digits behind the point.
double rounded(double value, int digits = 0) {
  const double scale = std::pow(10, digits);
  return std::round(value * scale) / scale;
}

TEST(RfcBytes, a_4k_request_carries_600_MB) {
  EXPECT_EQ(serving::kv_bytes_per_token(dense()), 147456);
  EXPECT_EQ(rounded(serving::request_bytes(dense(), 4096) / 1e9, 1), 0.6);
}
TEST(RfcBytes, a_16k_request_carries_2400_MB) {
  EXPECT_EQ(rounded(serving::request_bytes(dense(), 16384) / 1e9, 1), 2.4);
}
TEST(RfcConversion, traffic_is_at_least_4) {
  EXPECT_EQ(serving::kLeastTorchTraffic, 4);
}

constexpr double k4k = 0.603979776e9, k16k = 2.415919104e9;  // bytes, counted by hand

TEST(RfcConversion, a_4k_request_takes_1_ms_at_the_fast_end) {
  EXPECT_NEAR(serving::conversion_ms(k4k, 4, 3e12), 0.81, 0.005);
  EXPECT_EQ(rounded(serving::conversion_ms(k4k, 4, 3e12)), 1);
}
TEST(RfcConversion, the_slow_end_of_a_4k_request_needs_traffic_6) {
  EXPECT_EQ(rounded(2 * serving::conversion_ms(k4k, 6, 1.5e12)) / 2, 2.5);
  EXPECT_EQ(rounded(2 * serving::conversion_ms(k4k, 4, 1.5e12)) / 2, 1.5);  // and not 2.5
}
TEST(RfcConversion, a_16k_request_takes_3_ms_at_the_fast_end) {
  EXPECT_EQ(rounded(serving::conversion_ms(k16k, 4, 3e12)), 3);
}
TEST(RfcConversion, the_slow_end_of_a_16k_request_needs_traffic_6) {
  EXPECT_EQ(rounded(serving::conversion_ms(k16k, 6, 1.5e12)), 10);
  EXPECT_EQ(rounded(serving::conversion_ms(k16k, 4, 1.5e12)), 6);  // and not 10
}
TEST(RfcBreakEven, against_fa_40_to_150_tokens) {
  EXPECT_EQ(rounded(serving::break_even_tokens(32, 3, 2.7), -1), 40);
  EXPECT_EQ(rounded(serving::break_even_tokens(64, 2.5, 1.07), -1), 150);
}
TEST(RfcBreakEven, against_the_fastest_70_to_360_tokens) {
  EXPECT_EQ(rounded(serving::break_even_tokens(32, 3, 1.3), -1), 70);
  EXPECT_EQ(rounded(serving::break_even_tokens(64, 2.5, 0.44), -1), 360);
}
TEST(RfcBreakEven, all_other_ends_lie_within_its_ranges) {
  for (const RfcShape& shape : rfc_shapes()) {
    for (const double c : {shape.least_convert_ms, shape.most_convert_ms}) {
      EXPECT_GE(serving::break_even_tokens(shape.batch, c, shape.saving_fa_ms), 35);
      EXPECT_LE(serving::break_even_tokens(shape.batch, c, shape.saving_fa_ms), 150);
      EXPECT_GE(serving::break_even_tokens(shape.batch, c, shape.saving_fastest_ms), 70);
      EXPECT_LE(serving::break_even_tokens(shape.batch, c, shape.saving_fastest_ms), 364);
    }
  }
}
TEST(RfcAsm, engages_above_batch_19) {
  EXPECT_FALSE(serving::asm_engages(dense(), mi300x(), 1, 19));
  EXPECT_TRUE(serving::asm_engages(dense(), mi300x(), 1, 20));
  EXPECT_EQ(serving::asm_batch(dense(), mi300x(), 1, false), 20u);
}
TEST(RfcAsm, the_plans_batches_lie_above_it_at_tp_2) {
  EXPECT_EQ(serving::asm_batch(dense(), mi300x(), 2, false), 39u);
  EXPECT_EQ(serving::asm_batch(sparse(), mi300x(), 2, false), 39u);
  EXPECT_EQ(serving::asm_batch(*serving::model_preset("qwen3-32b"), mi300x(), 2, false), 20u);
  EXPECT_EQ(serving::asm_batch(dense(), mi300x(), 4, false), 77u);
}
TEST(RfcAsm, captured_graphs_move_it_to_17_and_33) {
  EXPECT_EQ(serving::asm_batch(dense(), mi300x(), 1, true), 17u);
  EXPECT_EQ(serving::asm_batch(dense(), mi300x(), 2, true), 33u);
}
TEST(RfcAsm, the_mi308_engages_at_a_smaller_batch) {
  const Device mi308x = *serving::device_preset("mi308x");
  EXPECT_EQ(serving::asm_batch(sparse(), mi308x, 2, false), 11u);
  EXPECT_EQ(serving::asm_batch(dense(), mi308x, 1, false), 6u);
  EXPECT_EQ(serving::asm_batch(dense(), *serving::device_preset("mi355x"), 2, false), 33u);
}
TEST(RfcCapacity, seven_shapes_of_batch_32_or_more_fit_95_percent) {
  int fit = 0;
  for (const double batch : {32, 64, 128}) {
    for (const double context : {1024, 4096, 16384, 32768}) {
      fit += serving::capacity_for(dense(), mi300x(), 1, {}, batch, context + 96).fits(0.95) ? 1 : 0;
    }
  }
  EXPECT_EQ(fit, 7);
}
TEST(RfcCapacity, tp_2_holds_32k_at_batch_48_and_64_and_not_at_128) {
  EXPECT_TRUE(serving::capacity_for(dense(), mi300x(), 2, {}, 48, 33792).fits(0.95));
  EXPECT_TRUE(serving::capacity_for(dense(), mi300x(), 2, {}, 64, 33792).fits(0.95));
  EXPECT_FALSE(serving::capacity_for(dense(), mi300x(), 2, {}, 128, 33792).fits(1));
  EXPECT_FALSE(serving::capacity_for(sparse(), mi300x(), 2, {}, 128, 33792).fits(1));
  EXPECT_TRUE(serving::capacity_for(sparse(), mi300x(), 2, {}, 128, 16384 + 1024).fits(0.95));
}
TEST(RfcRules, tokens_that_the_3_percent_rule_and_the_2_percent_guard_need) {
  const double fa = fa_step_ms(32, 4096);
  EXPECT_NEAR(fa, 12.65, 0.01);
  EXPECT_EQ(rounded(*serving::counted_tokens(32, 1, 0.6, fa)), 145);
  EXPECT_EQ(rounded(*serving::counted_tokens(32, 1, 0.4, fa - 0.2)), 1211);
  EXPECT_EQ(serving::counted_tokens(64, 1, 0.44, fa_step_ms(64, 4096) - 0.63), std::nullopt);
  EXPECT_EQ(rounded(serving::guard_tokens(32, 1, fa - 0.6)), 133);
}
// c/(0.02·T_b) requests may join a step: at traffic 4 and 3 TB/s, the very best, 107 tokens.
TEST(RfcRules, the_guard_needs_107_tokens_at_the_very_best) {
  EXPECT_EQ(
      rounded(serving::guard_tokens(32, serving::conversion_ms(k4k, 4, 3e12), fa_step_ms(32, 4096) - 0.6)),
      107);
}
TEST(RfcTransfer, halves_double_the_descriptors) {
  EXPECT_EQ(serving::descriptors(4096, 16, 36, 1), 9216);
  EXPECT_EQ(serving::descriptors(4096, 16, 36, 2), 18432);
  EXPECT_EQ(serving::descriptors(16384, 16, 36, 2), 73728);
  EXPECT_EQ(serving::descriptors(17, 16, 1, 2), 4);
}
TEST(RfcLoops, conversions_hit_the_share_of_steps_that_the_rule_of_poisson_gives) {
  EXPECT_NEAR(serving::converting_steps(48, 128), 0.31, 0.005);
  EXPECT_NEAR(serving::converting_steps(128, 128), 0.63, 0.005);
  EXPECT_NEAR(serving::converting_steps(48, 1024), 0.046, 0.0005);
}
TEST(RfcLoops, one_prefill_gpu_holds_no_planned_batch) {
  EXPECT_NEAR(serving::prefill_seconds(dense(), mi300x(), 16384, 0), 0.59, 0.005);
  EXPECT_NEAR(serving::prefill_gpus_needed(48, 128, 9.4e-3, 0.12), 4.8, 0.05);
}

TEST(RfcFigures, are_as_the_table_says) {
  const auto figures = rfc_figures();
  EXPECT_GE(figures.size(), 50u);
  for (const Figure& figure : wrong_figures(figures)) {
    ADD_FAILURE() << figure.name << ": stated " << figure.stated << ", computed " << figure.ours;
  }
}
TEST(RfcFigures, name_what_the_slow_end_needs) {
  for (const Figure& figure : rfc_figures()) {
    if (figure.name == "convert.4k.most" || figure.name == "convert.16k.most") {
      EXPECT_EQ(figure.state(), FigureState::with_assumption);
      EXPECT_NE(figure.assumption.find("traffic 6"), std::string::npos);
    }
  }
}
TEST(RfcFigures, every_wrong_formula_changes_one) {
  ASSERT_GE(formula_faults().size(), 18u);
  for (const FormulaFault& fault : formula_faults()) {
    EXPECT_FALSE(wrong_figures(rfc_figures(fault.formulas)).empty()) << fault.name << ": " << fault.what;
  }
}
TEST(RfcFigures, stand_in_the_docs_as_the_program_prints_them) {
  std::ifstream file(PAGEPROOF_SOURCE_DIR "/docs/cost.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(figures_markdown(rfc_figures())), std::string::npos)
      << "docs/cost.md: paste `pageproof cost --markdown`";
}

CostQuestion question() {
  return {.model = dense(), .device = mi300x(), .step = {}};
}

TEST(CostSheet, gives_the_RFC_at_its_defaults) {
  const CostSheet sheet = *cost_sheet(question());
  EXPECT_NEAR(line_of(sheet, "KV of a request").least, 0.604, 0.0005);
  EXPECT_NEAR(line_of(sheet, "c, as used below").least, 0.81, 0.005);
  EXPECT_NEAR(line_of(sheet, "c, as used below").most, 2.42, 0.005);
  EXPECT_NEAR(line_of(sheet, "break-even N* against ROCM_AITER_FA").least, 38, 0.5);
  EXPECT_EQ(line_of(sheet, "asm decode kernel from batch").least, 20);
}
TEST(CostSheet, a_given_saving_stands_for_both_comparators) {
  CostQuestion asked = question();
  asked.saving_ms = 0.6;
  asked.traffic = {6};
  asked.bytes_per_second = {1.5e12};
  EXPECT_NEAR(line_of(*cost_sheet(asked), "break-even N* against the comparator").least, 129, 0.5);
}
TEST(CostSheet, below_the_asm_threshold_it_never_pays) {
  CostQuestion asked = question();
  asked.batch = 8;
  const CostSheet sheet = *cost_sheet(asked);
  EXPECT_TRUE(std::isinf(line_of(sheet, "break-even N* against ROCM_AITER_FA").least));
  EXPECT_NE(cost_text(sheet).find("never"), std::string::npos);
}
TEST(CostSheet, refuses_what_is_no_shape) {
  const auto refused = [](const auto& change) {
    CostQuestion asked = question();
    change(asked);
    const auto sheet = cost_sheet(asked);
    return sheet ? std::string("accepted") : to_string(sheet.error());
  };
  EXPECT_EQ(refused([](CostQuestion& q) { q.batch = 0; }), "--batch: 0: not 1 to 4096 requests");
  EXPECT_EQ(refused([](CostQuestion& q) { q.tp = 3; }).find("--tp: 3: does not divide"), 0u);
  EXPECT_EQ(refused([](CostQuestion& q) { q.context = 0; }).find("--context: 0"), 0u);
  EXPECT_EQ(refused([](CostQuestion& q) { q.traffic = {0}; }).find("--kappa: 0"), 0u);
  EXPECT_EQ(refused([](CostQuestion& q) { q.traffic = {std::nan("")}; }).find("--kappa: nan"), 0u);
  EXPECT_EQ(refused([](CostQuestion& q) { q.bytes_per_second = {0}; }).find("--bandwidth: 0"), 0u);
  EXPECT_EQ(refused([](CostQuestion& q) { q.saving_ms = -1; }).find("--saving: -1"), 0u);
}

}  // namespace
}  // namespace pageproof::decision
