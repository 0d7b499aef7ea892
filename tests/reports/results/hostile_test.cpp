// Files that are no results, or were one before somebody touched them: a line each, and the others are read.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/golden/scratch.hpp"
#include "tests/reports/results/files.hpp"

namespace pageproof::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string nested(std::size_t levels) {
  return R"({"a": )" + std::string(levels, '[') + std::string(levels, ']') + "}";
}

struct Wrong {
  const char* name;
  std::string text;
  const char* line;
};

class WrongFile : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFile, IsALineAndTheOtherIsRead) {
  const std::string good = good_run().dump();
  const std::vector<NamedText> files{{"a.json", GetParam().text}, {"b.json", good}};
  const Results results = read_texts(files, {}, {});
  EXPECT_THAT(lines(results.refused), ElementsAre(HasSubstr(GetParam().line)));
  ASSERT_THAT(results.runs, SizeIs(1));
  EXPECT_TRUE(results.runs[0].valid());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, WrongFile,
    testing::Values(
        Wrong{"empty", "", "a.json: empty"}, Wrong{"blank", " \n ", "a.json: empty"},
        Wrong{"text", "Traceback (most recent call last):\n  File", "a.json: $: T: not JSON at byte 1"},
        Wrong{"number", "17", "a.json: $: 17: no JSON object"},
        Wrong{"list", "[1, 2]", "a.json: $: [1, 2]: no JSON object"},
        Wrong{"cut", R"({"completed": 3, "mean_tt)", "a.json: completed: \"mean_tt: not JSON at byte 26"},
        Wrong{"nul", std::string("{\"a\": 1}\0{}", 11), "a.json: $: not JSON at byte 9, a NUL"},
        Wrong{"twice", R"({"completed": 3, "completed": 4})", "a.json: completed: 3: the key appears twice"},
        Wrong{"deep", nested(100'000), "nested deeper than 24 levels"},
        Wrong{"utf8", "{\"a\": \"\xff\"}", "not JSON at byte"},
        Wrong{"number_too_large", R"({"mean_ttft_ms": 1e999})",
              "a.json: mean_ttft_ms: 1e999: larger than a number may be"},
        Wrong{"other_tool", R"({"benchmarks": [], "context": {"host": "x"}})",
              "a.json: $: with the key context.host: no result of a tool that is known"},
        Wrong{"sidecar_key", R"({"decode_kernel": "asm", "convert_us": 3})",
              "a.json: convert_us: 3: no such key in a sidecar"},
        Wrong{"sidecar_number", R"({"convert_ms": "fast"})", "a.json: convert_ms: fast: expected a number"},
        Wrong{"objects_in_a_column", R"({"ttfts": [{"a": 1}]})",
              "a.json: ttfts: {: an object where numbers are listed"},
        Wrong{"lists_in_lists", R"({"itls": [[[1]]]})", "a.json: itls: [: a list of lists of lists"}),
    [](const auto& one) { return one.param.name; });

TEST(WrongPath, IsALineToo) {
  golden::Scratch scratch;
  golden::put(scratch / "good.json", good_run().dump());
  golden::put(scratch / "bad.json", "{");
  const Results results = read_results(
      {(scratch / "good.json").string(), (scratch / "absent.json").string(), (scratch / "bad.json").string()},
      {}, {});
  EXPECT_THAT(results.runs, SizeIs(1));
  EXPECT_THAT(lines(results.refused), ElementsAre(HasSubstr("absent.json: cannot be opened"),
                                                  HasSubstr("bad.json: $: {: not JSON at byte 2")));
  ReadOptions small;
  small.most_bytes = 100;
  EXPECT_THAT(lines(read_text(good_run().dump(), "run.json", {}, small).refused),
              ElementsAre(HasSubstr("more than 100 bytes")));
}

TEST(NonNumbers, AreFindingsWithTheirKey) {
  std::string text = good_run().dump();
  text.replace(text.find("\"mean_tpot_ms\":10.0"), 19, "\"mean_tpot_ms\":NaN");
  const std::string other = text;
  text.replace(text.find("\"p99_itl_ms\":14.0"), 17, "\"p99_itl_ms\":-Infinity");
  const Results results = read_text(text + good_run().dump());
  ASSERT_THAT(results.runs, SizeIs(2));
  EXPECT_THAT(said(results.runs[0]), ElementsAre("invalid mean_tpot_ms NaN not a finite number",
                                                 "invalid p99_itl_ms -Infinity not a finite number"));
  std::string rate = good_run().dump();
  rate.replace(rate.find("\"inf\""), 5, "Infinity");  // as json.dump writes a float
  EXPECT_THAT(said(read_text(rate).runs.at(0)), IsEmpty());
}

// Without a date two runs are the same one only where every number is.
TEST(Duplicates, WithoutADateAreEqualThroughout) {
  const auto run = [](int completed) {
    return fmt::format(R"({{"mean_ttft_ms":1,"completed":{}}})", completed);
  };
  EXPECT_TRUE(read_text(run(8) + run(9)).runs.at(1).valid());
  EXPECT_FALSE(read_text(run(8) + run(8)).runs.at(1).valid());
}

TEST(ManyObjects, AreBounded) {
  std::string nothing;
  for (int i = 0; i < 100'000; ++i) nothing += "{}\n";
  const Results results = read_text(nothing);
  EXPECT_THAT(results.refused, SizeIs(kMostRefused + 1));
  EXPECT_THAT(lines(results.refused).back(), "run.json#9: it and what follows it are not read");
  std::string runs;
  for (int i = 0; i < 30'000; ++i) runs += "{\"mean_ttft_ms\":1}";
  EXPECT_THAT(read_text(runs).runs, SizeIs(kMostRuns));
  std::string long_key = "{\"" + std::string(10'000, 'k') + "\": 1}";
  EXPECT_THAT(lines(read_text(long_key).refused), ElementsAre(HasSubstr("longer than 512 bytes")));
}

// Bytes of small files of every form exchanged, doubled and left out: whatever comes, it is runs and lines.
TEST(Mutations, NeverCrashAndAlwaysAnswerInLines) {
  const std::string detailed =
      R"({"date":"d","num_prompts":2,"completed":2,"failed":0,"request_rate":"inf","duration":1.0,"total_input_tokens":2,"total_output_tokens":4,"mean_ttft_ms":100.0,"mean_tpot_ms":10.0,"input_lens":[1,1],"output_lens":[2,2],"ttfts":[0.1,0.1],"itls":[[0.01],[0.01]],"start_times":[1.0,2.0],"errors":["",""]})";
  const std::string record =
      R"({"metadata":{"request_start_ns":1,"benchmark_phase":"profiling"},"metrics":{"time_to_first_token":{"value":5,"unit":"ms"},"request_latency":{"value":9,"unit":"ms"},"output_sequence_length":{"value":3},"inter_chunk_latency":{"value":[2,2],"unit":"ms"}},"error":null})";
  const std::vector<std::pair<std::string, std::string>> seeds{
      {"a.json", good_run().dump()},
      {"a.json", detailed},
      {"a.json", detailed + "\n" + detailed},
      {"a.jsonl", record + "\n" + record},
      {"a.json",
       R"({"median_ttft":0.1,"median_tpot":0.01,"median_e2el":1.1,"completed":3,"duration":2,"conc":2})"},
      {"a.json", R"([{"mean_ttft_ms":1,"run_number":0},{"mean_ttft_ms":2,"run_number":1}])"},
      {"a.json", R"({"results":[{"mode":"decode","batch_size":3,"latency_per_iter_ms":4}]})"},
      {"a.json",
       R"({"time_to_first_token":{"unit":"ms","avg":3,"p50":2,"std":1,"count":3},"request_count":{"avg":3}})"},
      {"a.json", R"({"decode_kernel":"asm","convert_ms":{"p50":1}})"},
      {"a.log",
       "KV Transfer metrics: Num successful transfers=4, Avg xfer time (ms)=1.381, Avg MB per "
       "transfer=2.25\n"}};
  std::mt19937 random(8);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  constexpr std::string_view kBytes = "{}[]\",:.-+eE0123456789nulltrueNaInfity\\\x01\xff";
  std::size_t runs = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto [path, text] = seeds[below(seeds.size())];
    for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = kBytes[below(kBytes.size())];
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.insert(at, text.substr(below(text.size()), below(40)));
          break;
        default:
          text[at] = static_cast<char>(random());
      }
    }
    const std::vector<NamedText> files{{"x/" + path, text}};
    const Results results = read_texts(files, {}, {});
    runs += results.runs.size();
    refused += results.refused.size();
    for (const std::string& line : lines(results.refused)) {
      ASSERT_EQ(line.find('\n'), std::string::npos) << text;
      ASSERT_LT(line.size(), 1000U) << text;
    }
    for (const results::Run& run : results.runs) {
      for (const auto& [name, value] : run.metrics) ASSERT_TRUE(std::isfinite(value)) << name << "\n" << text;
      if (!run.detailed) continue;
      ASSERT_EQ(run.detailed->gap_begin.size(), run.detailed->requests() + 1) << text;
    }
  }
  EXPECT_GT(runs, 1000U);
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace pageproof::results
