// `pageproof simulate` as a person runs it: the files it writes, what it refuses, and that it says the same
// again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::cli_tests {
namespace {

// A small benchmark, so that a run takes milliseconds.
std::vector<std::string> small(std::vector<std::string> more) {
  std::vector<std::string> words{"simulate",      "--isl", "512",           "--osl", "16",
                                 "--concurrency", "4",     "--num-prompts", "12"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Simulate, what_cannot_be_is_refused_in_one_line) {
  const golden::Scratch scratch;
  golden::put(scratch / "steps.csv", "setup,batch,context,step_ms\nb,1,512,4\nb,4,512,5\n");
  golden::put(scratch / "zero", "{\"timestamp\": 5, \"input_length\": 8, \"output_length\": 0}\n");
  golden::put(scratch / "huge.csv", "\xEF\xBB\xBFsetup,batch,context,step_ms\nb,1,512,1e308\n");
  golden::put(scratch / "trace", "{\"timestamp\": 5}\n");
  std::filesystem::create_directory(scratch / "used");
  golden::put(scratch / "used/old.json", "{}");
  struct Bad {
    std::vector<std::string> options;
    std::vector<std::string> words;
  };
  for (const Bad& bad :
       {Bad{{"--setups", "z"}, {"--setups: z: not known; there are a1"}},
        Bad{{"--setups", "b,b"}, {"b: stands twice"}},
        Bad{{"--set", "c.traffic=nan"}, {"--set c: traffic: nan: not a number"}},
        Bad{{"--set", "traffic=1"}, {"--set: traffic=1: not SETUP.FIELD=VALUE"}},
        Bad{{"--set", "e.traffic=1"}, {"--set: setup: e: is not one of --setups"}},
        Bad{{"--model", "gpt"}, {"--model: gpt: not known"}},
        Bad{{"--tp", "5"}, {"tp: 5: does not divide"}},
        Bad{{"--rate", "inf"}, {"--rate", "inf"}},
        Bad{{"--cached", "1"}, {"cached share: 1: not in [0, 1)"}},
        Bad{{"--goodput", "ttft"}, {"--goodput: ttft"}},
        Bad{{"--kv-tokens", "500"}, {"KV capacity: tokens of request 0: 528: a decoder holds 500 tokens"}},
        Bad{{"--kv-tokens", "600", "--kv-full", "refuse"}, {"KV capacity", "a decoder holds 600 tokens"}},
        Bad{{"--step-table", "steps.csv", "--setups", "b"},
            {"steps.csv:", "setup b: batch", "is not between measured rows"}},
        Bad{{"--step-table", "steps.csv", "--setups", "c"}, {"steps.csv: setup: c: has no row"}},
        Bad{{"--extrapolate"}, {"--extrapolate", "--step-table"}},
        Bad{{"--arrivals", "trace"}, {"trace:1: input_length: null"}},
        Bad{{"--arrivals", "zero"}, {"zero:1: output_length: 0: not a whole number, 1 to 1000000"}},
        Bad{{"--seed", "18446744073709551615"}, {"--seed: 18446744073709551615"}},
        Bad{{"--out", "none/runs"}, {"--out: none/runs: No such file"}},
        Bad{{"--step-table", "huge.csv", "--setups", "b"}, {"huge.csv:2: step_ms: 1e308"}},
        Bad{{"--arrivals", "none"}, {"none: cannot be opened"}},
        Bad{{"--out", "used"}, {"--out: used: not empty"}},
        Bad{{"--out", "steps.csv"}, {"--out: steps.csv: not a folder"}},
        Bad{{"--trace", "none/run.json"}, {"none/run.json"}}}) {
    expect_refused(run(small(bad.options), {kSmallMemory, {}, {}, scratch.path()}), bad.words);
  }
}

TEST(Simulate, writes_the_same_files_again) {
  const golden::Scratch scratch;
  const Limits limits{{}, {}, {}, scratch.path()};
  for (const char* folder : {"first", "second"}) {
    const Outcome ran = run(small({"--setups", "a1,c", "--seeds", "2", "--out", folder}), limits);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch / "first")) {
    const auto name = entry.path().filename();
    EXPECT_EQ(golden::contents(scratch / "first" / name), golden::contents(scratch / "second" / name))
        << name;
    ++files;
  }
  EXPECT_EQ(files, 8U);  // two setups, two seeds, a result and what no client sees
  // c's converter does not move a1's run.
  const Outcome ran =
      run(small({"--setups", "a1,c", "--seeds", "2", "--out", "third", "--set", "c.traffic=50"}), limits);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const std::string a1 = "a1-qwen3-8b-isl512-osl16-concurrency4-seed1.json", c = "c" + a1.substr(2);
  EXPECT_EQ(golden::contents(scratch / "first" / a1), golden::contents(scratch / "third" / a1));
  EXPECT_NE(golden::contents(scratch / "first" / c), golden::contents(scratch / "third" / c));
  // A result's arrivals can be run again.
  const Outcome again = run({"simulate", "--arrivals", "first/" + a1, "--setups", "b", "--json"}, limits);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(nlohmann::json::parse(again.out)["setups"][0]["runs"][0]["requests"], 12);
}

// Every kind of document that a page takes, as the program writes it: what one command says, the next reads.
TEST(Simulate, its_runs_are_judged_and_shown_on_a_page) {
  const golden::Scratch scratch;
  const Limits limits{{}, {}, {}, scratch.path()};
  const auto keep = [&](const std::string& name, std::vector<std::string> words, int exit_code) {
    words.emplace_back("--json");
    const Outcome ran = run(words, limits);
    EXPECT_EQ(ran.exit_code, exit_code) << name << ran.err;
    golden::put(scratch / name, ran.out);
    return ran.out;
  };
  // Enough requests at once for the fast kernel.
  const auto simulated = nlohmann::json::parse(
      keep("simulate.json",
           {"simulate", "--isl", "512", "--osl", "64", "--concurrency", "48", "--prefill", "4",
            "--num-prompts", "150", "--setups", "a1,a2,b,c", "--seeds", "3", "--out", "runs"},
           0));
  EXPECT_EQ(simulated["isl"], 512);
  EXPECT_EQ(simulated["osl"], 64);
  EXPECT_EQ(simulated["load"], "c48");
  const auto judged = nlohmann::json::parse(keep("gonogo.json", {"gonogo", "runs"}, 1));
  EXPECT_FALSE(judged["cells"][0]["arrival_differences"].empty());
  EXPECT_EQ(judged["warnings"][0]["code"], "SIMULATED");
  EXPECT_EQ(judged["runs"][0]["simulated"], true);
  const Outcome words = run({"gonogo", "runs"}, limits);
  EXPECT_NE(words.out.substr(0, words.out.find('\n')).find("   of simulated runs"), std::string::npos)
      << words.out;
  keep("cost.json", {"cost"}, 0);
  keep("rfc.json", {"cost", "--rfc"}, 0);
  keep("plan.json", {"plan-runs", "--seeds", "6"}, 0);
  const std::string docs = PAGEPROOF_FOREIGN "/../../docs";
  keep("calibrate.json", {"calibrate", docs + "/runs", "--split", "none", "--cells"}, 0);
  keep("validate.json", {"validate", docs + "/step_model.json", docs + "/runs", "--cells"}, 0);
  const Outcome page = run({"report", "simulate.json", "gonogo.json", "cost.json", "rfc.json", "plan.json",
                            "calibrate.json", "validate.json", "--no-charts", "-o", "page.html"},
                           limits);
  ASSERT_EQ(page.exit_code, 0) << page.err;
  const std::string html = golden::contents(scratch / "page.html");
  for (const char* part :
       {"Of runs that are simulated", "What an arrival costs", "id=\"predicted\"", "id=\"plan\""}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
}

// One file of a simulated cell that says nothing of a simulator.
TEST(Simulate, its_runs_beside_measured_ones_are_named) {
  const golden::Scratch scratch;
  const Limits limits{{}, {}, {}, scratch.path()};
  ASSERT_EQ(
      run(small({"--setups", "a1", "--seeds", "6", "--no-detailed", "--out", "runs"}), limits).exit_code, 0);
  const auto path = scratch / "runs/a1-qwen3-8b-isl512-osl16-concurrency4-seed2.json";
  std::string text = golden::contents(path);
  const std::string key = "\"simulated\":";
  ASSERT_NE(text.find(key), std::string::npos);
  golden::put(path, text.replace(text.find(key), key.size(), "\"origin\":"));
  const Outcome judged = run({"gonogo", "runs"}, limits);
  EXPECT_NE(judged.out.find("INCONCLUSIVE   5 of 6 runs are simulated\n"), std::string::npos) << judged.out;
  EXPECT_NE(
      judged.out.find("SIMULATED_MIXED: simulated and measured runs stand in one cell, in 1 of 1; first "
                      "Qwen/Qwen3-8B cold isl512 osl16 c4 pd1:1: 5 of 6 runs"),
      std::string::npos)
      << judged.out;
}

TEST(Simulate, no_option_is_passed_over) {
  struct Case {
    std::vector<std::string> words;
    std::vector<std::string> named;
  };
  for (const Case& one :
       std::vector<Case>{{{"simulate", "--num-prompts", "0"}, {"--num-prompts", "0"}},
                         {{"simulate", "--concurrency", "0"}, {"--concurrency", "0"}},
                         {{"cost", "--kappa", "4,"}, {"--kappa", "4,"}},
                         {{"cost", "--rfc", "--batch", "32"}, {"--batch", "--rfc"}},
                         {{"plan-runs", "--sensitivity", "--shard", "1/2"}, {"--shard", "--sensitivity"}},
                         {{"plan-runs", "--merge", "a.json", "--seeds", "100"}, {"--seeds", "--merge"}}}) {
    expect_refused(run(one.words, {}), one.named);
  }
}

// The commands in the file of predictions give its figures.
TEST(Simulate, gives_the_predicted_figures) {
  const auto document =
      nlohmann::json::parse(golden::contents(PAGEPROOF_SOURCE_DIR "/reports/predictions.json"));
  for (const auto& [prediction, repeat, figure] : {std::tuple{0, 1, 3}, {5, 1, 3}}) {
    const auto& predicted = document["predictions"][prediction];
    std::istringstream command(predicted["repeat"][repeat]["simulate"].get<std::string>());
    std::vector<std::string> words(std::istream_iterator<std::string>(command), {});
    words.erase(words.begin());
    const auto made = run_json(words, 0);
    const auto& setups = made["setups"];
    std::vector<double> more;
    for (std::size_t seed = 0; seed < 9; ++seed) {
      const auto p99 = [&](const nlohmann::json& setup) {
        return setup["runs"][seed]["itl_ms"]["p99"].get<double>();
      };
      more.push_back(p99(setups[setups.size() - 1]) - p99(setups[setups.size() - 2]));
    }
    std::ranges::sort(more);
    const auto& wanted = predicted["figures"][figure];
    EXPECT_EQ(wanted["name"].get<std::string>().find("p99_itl_ms"), 0U) << wanted;
    EXPECT_NEAR(more[4], wanted["value"].get<double>(), 1e-3) << wanted;
  }
}

TEST(Simulate, says_it_in_json_and_in_a_timeline) {
  const golden::Scratch scratch;
  const std::string trace = (scratch / "trace.json").string();
  const auto document =
      run_json(small({"--setups", "b,c", "--seeds", "3", "--trace", trace, "--goodput", "ttft:1e6"}), 0);
  ASSERT_EQ(document["setups"].size(), 2U);
  const auto& run = document["setups"][1]["runs"][2];
  EXPECT_EQ(run["seed"], 3);
  EXPECT_EQ(run["good_requests_per_s"], run["requests_per_s"]);
  EXPECT_GT(run["ttft_parts_ms"]["conversion"]["mean"].get<double>(), 0);
  EXPECT_EQ(document["setups"][0]["runs"][2]["ttft_parts_ms"]["conversion"]["mean"], 0.0);
  EXPECT_GT(nlohmann::json::parse(golden::contents(trace))["traceEvents"].size(), 50U);
}

}  // namespace
}  // namespace pageproof::cli_tests
