// What a simulation is given: step times, arrivals, descriptor counts (the planner's), setups, traces; and
// what it writes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "kernels/plan/strategy.hpp"
#include "model/serving/runs.hpp"
#include "reports/results/read.hpp"
#include "reports/simulated/result_file.hpp"
#include "reports/simulated/timeline.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::serving {
namespace {

const ModelShape kModel = *model_preset("qwen3-8b");
const Device kDevice = *device_preset("mi300x");

template <class T>
std::string refused(const Expected<T>& answer) {
  return answer ? "not refused" : pageproof::to_string(answer.error());
}

// ---- step times

TEST(serving_step_time, is_the_spec_s_formula) {
  // 32 x 4k against FA, TP 1: 2 ms + 16.4 GB / 3.8 TB/s + KV / 3.05 TB/s = 12.7 ms (spec §4.3).
  const auto fa = StepTime::parametric({}, ll4mi_kernel(), kModel, kDevice, 1, 128);
  ASSERT_TRUE(fa);
  EXPECT_NEAR(fa->seconds(32, 32 * 4096.0) * 1e3, 12.7, 0.05);
  EXPECT_NEAR(fa->seconds(64, 64 * 4096.0) * 1e3, 19.0, 0.05);
  EXPECT_NEAR(fa->seconds(32, 32 * 16384.0) * 1e3, 31.7, 0.05);
  // The asm kernel takes 10.6 % less for attention, from the padded batch on that it engages at: TP 2, 40
  // (real 33).
  const auto shuffled = StepTime::parametric({}, shuffled_kernel(), kModel, kDevice, 2, 128);
  const auto plain = StepTime::parametric({}, ll4mi_kernel(), kModel, kDevice, 2, 128);
  EXPECT_EQ(shuffled->seconds(32, 1e6), plain->seconds(32, 1e6));
  const double attention = 1e6 * 147456 / 2 / 3.05e12;
  EXPECT_NEAR(plain->seconds(33, 1e6) - shuffled->seconds(33, 1e6), 0.106 * attention, 1e-9);
}

TEST(serving_step_time, padded_sizes_are_those_that_are_captured) {
  const std::pair<std::uint32_t, std::uint32_t> pairs[] = {
      {1, 1}, {2, 2}, {3, 4}, {5, 8}, {17, 24}, {33, 40}, {256, 256}, {257, 272}, {512, 512}, {513, 513}};
  for (const auto& [batch, padded] : pairs) EXPECT_EQ(padded_batch(batch), padded);
  EXPECT_FALSE(asm_engages(kModel, kDevice, 1, 19));
  EXPECT_TRUE(asm_engages(kModel, kDevice, 1, 20));
  EXPECT_FALSE(asm_engages(kModel, kDevice, 2, 38));
  EXPECT_TRUE(asm_engages(kModel, kDevice, 2, 39));
}

TEST(serving_step_time, experts_are_reached_as_the_spec_counts_them) {
  const ModelShape moe = *model_preset("qwen3-30b-a3b");
  const double share = (step_weight_bytes(moe, 48) - moe.dense_weight_bytes) / moe.expert_weight_bytes;
  EXPECT_NEAR(share, 0.955, 0.001);
  EXPECT_NEAR(kv_capacity_tokens(kModel, kDevice, 1, {}), 1.11e6, 0.01e6);
  EXPECT_NEAR(kv_capacity_tokens(kModel, kDevice, 2, {}), 2.32e6, 0.01e6);
  EXPECT_NEAR(kv_capacity_tokens(moe, kDevice, 2, {}), 3.34e6, 0.01e6);
}

// a + b·B + c·ctx + d·B·ctx is reproduced between its rows, whatever rows are missing at the edge.
TEST(serving_step_time, a_measured_table_is_bilinear) {
  const auto truth = [](double batch, double context) { return 4 + 0.02 * batch + 2e-5 * batch * context; };
  std::string csv = "setup,batch,context,step_ms\n";
  for (const int batch : {1, 8, 64}) {
    for (const int context : {1024, 4096, 16384}) {
      if (batch == 64 && context == 16384) continue;  // beyond the harness's capacity
      csv += fmt::format("c,{},{},{}\n", batch, context, truth(batch, context));
    }
  }
  const auto table = step_table_from_csv(csv, "steps.csv");
  ASSERT_TRUE(table) << refused(table);
  const auto time = StepTime::measured(*table, "c", Outside::refused, 64);
  ASSERT_TRUE(time) << refused(time);
  for (const std::uint32_t batch : {1U, 5U, 8U, 30U, 64U}) {
    for (const double context : {1024.0, 3000.0, 4096.0}) {
      EXPECT_NEAR(time->seconds(batch, context * batch) * 1e3, truth(batch, context), 1e-9)
          << batch << " " << context;
    }
  }
  EXPECT_NEAR(time->seconds(8, 8 * 9000.0) * 1e3, truth(8, 9000), 1e-9);
  EXPECT_TRUE(std::isnan(time->seconds(30, 30 * 9000.0)));
  EXPECT_EQ(pageproof::to_string(time->outside(30, 30 * 9000.0)),
            "steps.csv:9: setup c: batch 30, context 9000 tokens: is not between measured rows; the nearest "
            "is batch "
            "64, context 4096 (--extrapolate goes on along the line)");
  const auto beyond = StepTime::measured(*table, "c", Outside::extrapolated, 100);
  ASSERT_TRUE(beyond) << refused(beyond);
  EXPECT_NEAR(beyond->seconds(100, 100 * 20000.0) * 1e3, truth(100, 20000), 1e-6);
  EXPECT_EQ(refused(StepTime::measured(*table, "a1", Outside::refused, 64)),
            "steps.csv: setup: a1: has no row");
}

TEST(serving_step_time, bad_tables_are_refused_with_their_line) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "t: rows: 0: no row under a header setup,batch,context,step_ms"},
      {"setup,batch,step_ms\n", "t:1: context: setup,batch,step_ms: the header has no such column"},
      {"setup,batch,context,step_ms\na,1,2\n", "t:2: step_ms: a,1,2: the line is too short"},
      {"setup,batch,context,step_ms\na,0,2,3\n", "t:2: batch: 0: not a whole number, 1 to 4096"},
      {"setup,batch,context,step_ms\na,1,2,nan\n",
       "t:2: step_ms: nan: not a positive number of ms up to 1e+09"},
      {"setup,batch,context,step_ms\na,1,2,-3\n",
       "t:2: step_ms: -3: not a positive number of ms up to 1e+09"},
      {"setup,batch,context,step_ms\na,1,-2,3\n", "t:2: context: -2: not a whole number up to 100000000"},
      {"step_ms,context,batch,setup\n3,2,1,a\n3,2,1,a\n",
       "t:3: row: setup a, batch 1, context 2: stands on line 2 already"},
  };
  for (const auto& [csv, message] : cases) EXPECT_EQ(refused(step_table_from_csv(csv, "t")), message);
}

// ---- arrivals

TEST(serving_arrivals, come_as_vllm_sends_them) {
  Load load{.requests = 4000, .input_tokens = 100, .output_tokens = 10, .request_rate = 8};
  for (const double burstiness : {0.3, 1.0, 4.0, std::numeric_limits<double>::infinity()}) {
    load.burstiness = burstiness;
    const auto requests = make_requests(load, 7);
    ASSERT_TRUE(requests);
    EXPECT_NEAR(requests->back().arrival, 500, 1e-9);  // n / rate, whatever the seed
    double sum = 0, squares = 0, before = 0;
    for (const Request& one : *requests) {
      const double gap = one.arrival - before;
      before = one.arrival;
      sum += gap;
      squares += gap * gap;
    }
    const double mean = sum / 4000, variance = squares / 4000 - mean * mean;
    // A gamma variate of shape k has the variance mean²/k.
    EXPECT_NEAR(variance / (mean * mean), std::isinf(burstiness) ? 0 : 1 / burstiness,
                0.12 / burstiness + 1e-9);
  }
  EXPECT_NE(make_requests(load, 1)->front().arrival, 0);
  load.request_rate = std::numeric_limits<double>::infinity();
  EXPECT_EQ(make_requests(load, 1)->back().arrival, 0);
}

TEST(serving_arrivals, lengths_are_spread_evenly) {
  const Load load{.requests = 20'000, .input_tokens = 1000, .output_tokens = 10, .length_spread = 0.5};
  const auto requests = make_requests(load, 3);
  double sum = 0;
  std::uint32_t least = UINT32_MAX, most = 0;
  for (const Request& one : *requests) {
    sum += one.input_tokens;
    least = std::min(least, one.input_tokens);
    most = std::max(most, one.input_tokens);
  }
  EXPECT_NEAR(sum / 20'000, 1000, 10);
  EXPECT_EQ(least, 500U);
  EXPECT_EQ(most, 1500U);
}

TEST(serving_arrivals, bad_loads_are_refused) {
  const auto message = [](const Load& load) { return refused(make_requests(load, 1)); };
  EXPECT_EQ(message({}), "load: requests: 0: not 1 to 1000000");
  EXPECT_EQ(message({.requests = 1, .output_tokens = 1}),
            "load: input tokens of request 0: 0: not 1 to 10000000");
  EXPECT_EQ(message({.requests = 1, .input_tokens = 1}),
            "load: output tokens of request 0: 0: not 1 to 1000000");
  EXPECT_EQ(message({.requests = 1'000'000, .input_tokens = 1, .output_tokens = 5000}),
            "load: requests x output tokens: 5000000000: more than 4000000000");
  Load load{.requests = 1, .input_tokens = 1, .output_tokens = 1, .request_rate = std::nan("")};
  EXPECT_EQ(message(load), "load: request_rate: nan: not a positive number of requests/s");
  load = {.trace = {{.arrival = 2, .input_tokens = 1, .output_tokens = 1}, {1, 1, 1}}};
  EXPECT_EQ(message(load),
            "load: arrival of request 1: 1 s: not a time at or after the 2 s of the one before");
}

TEST(serving_arrivals, traces_are_read) {
  const char* mooncake =
      "{\"timestamp\": 0, \"input_length\": 1300, \"output_length\": 5, \"hash_ids\": [1, 2, 3]}\n"
      "{\"timestamp\": 250, \"input_length\": 1100, \"output_length\": 7, \"hash_ids\": [1, 2, 9]}\n";
  const auto cold = requests_from_mooncake(mooncake, "t.jsonl", false);
  ASSERT_TRUE(cold) << refused(cold);
  EXPECT_EQ((*cold)[1], (Request{.arrival = 0.25, .input_tokens = 1100, .output_tokens = 7}));
  EXPECT_EQ((*requests_from_mooncake(mooncake, "t.jsonl", true))[1].cached_tokens, 1024U);
  EXPECT_EQ(requests_from_mooncake(mooncake, "t.jsonl", true, 1)->size(), 1U);
  const auto result = requests_from_result(
      R"({"start_times": [100.5, 100.25, 101], "input_lens": [10, 20, 30], "output_lens": [1, 2, 0], "errors": ["", "", "x"]})",
      "r.json");
  ASSERT_TRUE(result) << refused(result);
  ASSERT_EQ(result->size(), 2U);
  EXPECT_EQ((*result)[1], (Request{.arrival = 0.25, .input_tokens = 10, .output_tokens = 1}));
  EXPECT_EQ(refused(requests_from_mooncake("{\"timestamp\": -1}\n", "t", false)),
            "t:1: timestamp: -1: not a number, 0 to 1e+12");
  EXPECT_EQ(refused(requests_from_mooncake("\n[1]\n", "t", false)), "t:2: $: [1]: not an object");
  EXPECT_EQ(refused(requests_from_result("{}", "r")),
            "r: start_times: null: not a list: made with --save-detailed?");
  EXPECT_EQ(
      refused(requests_from_result(R"({"start_times": [1], "input_lens": [], "output_lens": [1]})", "r")),
      "r: input_lens: 0 entries: start_times has 1; at most 1000000");
}

// ---- descriptors: the planner's own counts

TEST(serving_descriptors, are_as_many_as_the_planner_plans_and_posts) {
  constexpr std::uint64_t kLayers = 3, kHalf = 2048, kPool = 64;
  const auto regions = [](std::uint64_t count, std::uint64_t block_bytes, std::uint64_t base) {
    std::vector<plan::Region> list;
    for (std::uint64_t i = 0; i < count; ++i) {
      list.push_back({base + i * (kPool * block_bytes + 4096), block_bytes, block_bytes, kPool});
    }
    return list;
  };
  const plan::Side pages{regions(kLayers, 2 * kHalf, 1 << 20)},
      other_pages{regions(kLayers, 2 * kHalf, 1 << 28)};
  const plan::Side planes{regions(2 * kLayers, kHalf, 1 << 24)},
      other_planes{regions(2 * kLayers, kHalf, 1 << 26)};
  for (const std::vector<std::uint64_t>& run_lengths :
       std::vector<std::vector<std::uint64_t>>{{1}, {5}, {1, 1, 1}, {4, 3, 2}, {2, 2, 2, 2}}) {
    std::vector<plan::BlockPair> blocks;
    plan::PairedBlocks paired{plan::BlockGroups(1), plan::BlockGroups(1)};
    std::uint64_t next = 1;
    for (const std::uint64_t length : run_lengths) {
      for (std::uint64_t i = 0; i < length; ++i, ++next) {
        blocks.push_back({next, next + 3});
        paired.local.front().push_back(next);
        paired.remote.front().push_back(next + 3);
      }
      ++next;  // a gap: the next run is no neighbour
    }
    const BlockUse use{kLayers, blocks.size(), run_lengths.size()};
    const auto compare = [&](Descriptors ours, plan::Strategy theirs, const Expected<plan::Read>& read) {
      ASSERT_TRUE(read) << to_string(ours);
      const plan::Cost cost = plan::cost_of(theirs, *read, blocks, {});
      EXPECT_EQ(planned_descriptors(ours, use), cost.planned) << to_string(ours);
      EXPECT_EQ(merged_descriptors(ours, use), cost.posted) << to_string(ours);
    };
    const auto prepared = [&](const plan::Side& local, const plan::Side& remote, plan::Split split) {
      return plan::read_prepared(*plan::prepare(local, remote, split, {}), paired);
    };
    compare(Descriptors::whole, plan::Strategy::whole, prepared(pages, other_pages, plan::Split::none));
    compare(Descriptors::planes, plan::Strategy::whole, prepared(planes, other_planes, plan::Split::none));
    compare(Descriptors::slots, plan::Strategy::slots, prepared(pages, other_pages, plan::Split::slots));
    compare(Descriptors::halves, plan::Strategy::halves, plan::read_halves(planes, other_pages, blocks));
    compare(Descriptors::staged, plan::Strategy::staged,
            plan::read_staged(planes, other_pages, {1ULL << 40, 1ULL << 30}, blocks));
    compare(Descriptors::run_halves, plan::Strategy::run_halves,
            plan::read_run_halves(planes, other_pages, blocks));
  }
  // Qwen3-8B, 4k and 16k tokens (spec §0): whole pages, and halves.
  for (const auto& [blocks, pages_count, halves] : {std::tuple{256, 9216, 18432}, {1024, 36864, 73728}}) {
    const BlockUse use{36, static_cast<std::uint64_t>(blocks), static_cast<std::uint64_t>(blocks)};
    EXPECT_EQ(planned_descriptors(Descriptors::whole, use), static_cast<std::uint64_t>(pages_count));
    EXPECT_EQ(planned_descriptors(Descriptors::halves, use), static_cast<std::uint64_t>(halves));
  }
}

// ---- setups

TEST(serving_setup, presets_can_be_changed_by_name) {
  serving::Setup c = *setup_preset("c");
  EXPECT_EQ(c.descriptors, Descriptors::halves);
  ASSERT_TRUE(override_field(c, "traffic", "6", "--set c"));
  ASSERT_TRUE(override_field(c, "convert-gb", "1500", "--set c"));
  EXPECT_DOUBLE_EQ(conversion_bytes_seconds(c.converter, 1e9), 6 * 1e9 / 1500e9);
  ASSERT_TRUE(override_field(c, "convert", "fused", "--set c"));
  EXPECT_EQ(c.converter, fused_converter());
  ASSERT_TRUE(override_field(c, "descriptors", "staged", "--set c"));
  EXPECT_EQ(c.descriptors, Descriptors::staged);
  EXPECT_EQ(refused(override_field(c, "traffic", "-1", "--set c")),
            "--set c: traffic: -1: not a number, 0 to 1000");
  EXPECT_EQ(refused(override_field(c, "traffic", "nan", "--set c")),
            "--set c: traffic: nan: not a number, 0 to 1000");
  EXPECT_EQ(refused(override_field(c, "convert", "later", "--set c")),
            "--set c: convert: later: not one of none, step, side, fused");
  EXPECT_EQ(refused(setup_preset("z")), "setup: name: z: not known; there are a1, a2, b, c, d, e");
}

TEST(serving_setup, conversion_times_are_the_spec_s) {
  // Spec §4.2, ms: κ and bandwidth against 4k and 16k of Qwen3-8B, without launches.
  const auto ms = [](double traffic, double bandwidth, double tokens) {
    const Converter converter{
        .where = Conversion::step, .traffic = traffic, .bytes_per_second = bandwidth, .launch_seconds = 0};
    return 1e3 * conversion_seconds(converter, tokens * kv_bytes_per_token(kModel), kModel.layers);
  };
  EXPECT_NEAR(ms(4, 3e12, 4096), 0.81, 0.005);
  EXPECT_NEAR(ms(4, 1.5e12, 16384), 6.44, 0.005);
  EXPECT_NEAR(ms(6, 1.5e12, 16384), 9.66, 0.005);
  EXPECT_NEAR(ms(2, 3.5e12, 32768), 2.76, 0.005);
  EXPECT_NEAR(1e3 * conversion_launch_seconds(torch_converter(Conversion::step), 36), 1.73, 0.005);
}

TEST(serving_deployment, prefill_times_are_the_spec_s) {
  // Spec §5.5: 520 TFLOP/s, cold prompts of 4k to 32k, one GPU.
  const Deployment d{.model = kModel, .device = kDevice};
  const serving::Setup& a1 = setup_presets().front();
  for (const auto& [tokens, seconds] : {std::pair{4096, 0.12}, {8192, 0.26}, {16384, 0.59}, {32768, 1.49}}) {
    EXPECT_NEAR(prefill_seconds(d, a1, tokens, 0), seconds, 0.01) << tokens;
  }
  EXPECT_DOUBLE_EQ(prefill_seconds(d, a1, 4096, 0),
                   prefill_seconds(d, a1, 2048, 0) + prefill_seconds(d, a1, 4096, 2048));
  EXPECT_DOUBLE_EQ(prefill_seconds(d, *setup_preset("b"), 4096, 2048),
                   1.03 * prefill_seconds(d, a1, 4096, 2048));
}

TEST(serving_deployment, what_cannot_be_is_refused) {
  const Deployment good{.model = kModel, .device = kDevice};
  const auto message = [&](auto change) {
    Deployment d = good;
    change(d);
    const Load load{.requests = 2, .input_tokens = 64, .output_tokens = 4};
    return refused(simulate(d, *setup_preset("a1"), load, {}));
  };
  EXPECT_EQ(message([](Deployment&) {}), "not refused");
  EXPECT_EQ(message([](Deployment& d) { d.prefill_servers = 0; }), "deployment: prefill: 0: not 1 to 1024");
  EXPECT_EQ(message([](Deployment& d) { d.tp = 5; }), "tp: 5: does not divide qwen3-8b's 32 query heads");
  EXPECT_EQ(message([](Deployment& d) { d.max_num_seqs = 5000; }), "max_num_seqs: 5000: not 1 to 4096");
  EXPECT_EQ(message([](Deployment& d) { d.link.bytes_per_second = 0; }),
            "deployment: link: 0 B/s: not positive");
  EXPECT_EQ(message([](Deployment& d) {
              d.kv_capacity_tokens = 100;
              d.capacity = Capacity::refused;
            }),
            "KV capacity: tokens held when request 1 came: 80: no room for its 80 more: a decoder holds 100 "
            "tokens");
  const Load load{.requests = 2, .input_tokens = 64, .output_tokens = 4};
  EXPECT_EQ(refused(simulate(good, *setup_preset("a1"), load, {.noise = {.run = 2}})),
            "noise: run: 2: not a coefficient of variation, 0 to 1");
}

// ---- what is written

TEST(serving_output, a_result_holds_what_its_arrays_hold) {
  simulated::RunFacts facts{.cell = {.deployment = {.model = kModel, .device = kDevice, .tp = 2},
                                     .setup = *setup_preset("c"),
                                     .load = {.requests = 30, .input_tokens = 2048, .output_tokens = 20},
                                     .objectives = {.ttft_ms = 1e6}},
                            .seed = 5,
                            .date = "20000101-000102",
                            .simulated = "a test"};
  facts.cell.load.max_concurrency = 8;
  const auto run = simulate(facts.cell.deployment, facts.cell.setup, facts.cell.load,
                            {.noise = {0.01, 0.01, 0.1}, .keep_steps = true});
  ASSERT_TRUE(run);
  const Summary summary = summarize(*run, facts.cell.objectives, 1);
  const auto json = nlohmann::json::parse(simulated::result_json(*run, summary, facts, true));
  EXPECT_EQ(json["completed"], 30);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["setup"], "c");
  EXPECT_EQ(json["isl"], "2048");
  EXPECT_EQ(json["pd"], "1:1");
  EXPECT_EQ(json["request_rate"], "inf");
  EXPECT_EQ(json["kernel"], "ll4mi");  // 8 requests are below the asm threshold
  EXPECT_EQ(json["simulated"], "a test");
  EXPECT_EQ(json["request_goodput"], json["request_throughput"]);
  double sum = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    ASSERT_EQ(json["itls"][i].size(), 19U);
    const double gaps =
        std::accumulate(json["itls"][i].begin(), json["itls"][i].end(), 0.0,
                        [](double so_far, const nlohmann::json& gap) { return so_far + gap.get<double>(); });
    const double ttft = json["ttfts"][i], latency = json["latencies"][i];
    EXPECT_NEAR(ttft + gaps, latency, 1e-9);
    sum += gaps;
  }
  EXPECT_NEAR(json["mean_itl_ms"].get<double>(), sum / (30 * 19) * 1e3, 1e-9);
  const auto sidecar = nlohmann::json::parse(simulated::sidecar_json(*run, summary, facts, "c.json"));
  EXPECT_EQ(sidecar["run"], "c.json");
  EXPECT_EQ(sidecar["decode_kernel"], "ll4mi");
  EXPECT_GT(sidecar["convert_ms"]["mean"].get<double>(), 0);

  for (const std::uint64_t most : {3ULL, 60ULL, 100'000ULL}) {
    const auto trace = nlohmann::json::parse(simulated::chrome_trace(*run, facts.cell, most));
    EXPECT_LE(trace["traceEvents"].size(), most);
    if (most < 100'000) continue;
    std::size_t steps = 0, finished_flows = 0;
    for (const auto& event : trace["traceEvents"]) {
      steps += event["ph"] == "X" && event["name"].get<std::string>().starts_with("decode B");
      finished_flows += event["ph"] == "f";
    }
    EXPECT_EQ(finished_flows, 30U);
    EXPECT_GT(steps, 50U);
  }
}

// The reader of measured results takes it, recomputes every metric from the arrays, and finds nothing to say.
TEST(serving_output, the_reader_of_results_agrees_with_it) {
  const golden::Scratch scratch;
  simulated::RunFacts facts{.cell = {.deployment = {.model = kModel, .device = kDevice, .tp = 2},
                                     .setup = *setup_preset("c"),
                                     .load = {.requests = 400, .input_tokens = 4096, .output_tokens = 64}},
                            .seed = 5,
                            .date = "20000101-000102",
                            .simulated = "a test"};
  facts.cell.deployment.prefill_servers = 40;
  facts.cell.load.max_concurrency = 64;
  const auto run = simulate(facts.cell.deployment, facts.cell.setup, facts.cell.load,
                            {.noise = {0.01, 0.01, 0.1}, .keep_steps = true});
  ASSERT_TRUE(run);
  const Summary summary = summarize(*run, {}, 40);
  golden::put(scratch / "c.json", simulated::result_json(*run, summary, facts, true));
  golden::put(scratch / "c.split.json", simulated::sidecar_json(*run, summary, facts, "c.json"));
  const auto read = results::read_results({scratch.path()}, {}, {});
  for (const Error& error : read.refused) ADD_FAILURE() << pageproof::to_string(error);
  ASSERT_EQ(read.runs.size(), 1U);
  const results::Run& got = read.runs.front();
  for (const results::Finding& finding : got.findings) {
    ADD_FAILURE() << finding.field << ": " << finding.value << ": " << finding.problem;
  }
  EXPECT_EQ(got.tag("setup"), "c");
  EXPECT_EQ(got.tag("simulated"), "a test");
  EXPECT_EQ(got.metric("p99_itl_ms"), summary.itl_ms.p99);
  EXPECT_EQ(got.metric("p99.9_ttft_ms"), summary.ttft_ms.p999);
  ASSERT_TRUE(got.split);
  EXPECT_EQ(got.split->convert_ms.mean, summary.parts_ms[static_cast<std::size_t>(Part::conversion)].mean);
  EXPECT_EQ(got.split->effective_batch_mean, summary.batch_mean);
  // Gaps told apart by the client's arrays alone have the conversion in them, as those that the decoder told
  // apart.
  ASSERT_TRUE(got.gaps);
  EXPECT_NEAR(got.gaps->interfered.mean_ms - got.gaps->clean.mean_ms,
              summary.interfered.mean_ms - summary.clean.mean_ms, 0.5);
}

}  // namespace
}  // namespace pageproof::serving
