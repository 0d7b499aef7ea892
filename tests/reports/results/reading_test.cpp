// Every form of result file, read as its tool writes it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "tests/golden/scratch.hpp"
#include "tests/reports/results/files.hpp"

namespace pageproof::results {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RealFiles : public testing::Test {
 protected:
  void SetUp() override {
    const char* named = std::getenv("PAGEPROOF_SHARED");
    folder = fs::path(named == nullptr ? PAGEPROOF_SHARED_DEFAULT : named) / "results";
    if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder " << folder << "; set PAGEPROOF_SHARED";
  }
  Results read(const std::string& below, const Mapping& mapping = {}) const {
    return read_results({(folder / below).string()}, mapping, {});
  }
  fs::path folder;
};

TEST_F(RealFiles, AllFailedIsInvalidAndTheOtherIsNot) {
  const Results results = read("vllm_serve");
  ASSERT_THAT(results.runs, SizeIs(2));
  EXPECT_THAT(said(results.runs[0]),
              ElementsAre("invalid completed 0 every request failed: all latencies are zeros"));
  EXPECT_THAT(said(results.runs[1]), IsEmpty());
  EXPECT_EQ(results.runs[1].tool, Tool::vllm_serve);
  EXPECT_EQ(results.runs[1].metric("mean_tpot_ms"), 11.265828258331112);
  EXPECT_EQ(results.runs[1].max_concurrency, 2);
  EXPECT_EQ(results.runs[1].model_id, "facebook/opt-125m");
  EXPECT_THAT(results.refused, IsEmpty());
}

TEST_F(RealFiles, ASweepsRepeatsAreRunsAndItsSummariesAreNot) {
  const Results results = read("vllm_sweep");
  ASSERT_THAT(results.runs, SizeIs(4));
  EXPECT_THAT(results.left_out, SizeIs(2));
  EXPECT_THAT(results.refused, IsEmpty());
  for (const results::Run& run : results.runs) {
    EXPECT_THAT(said(run), IsEmpty()) << run.source;
    EXPECT_EQ(run.tool, Tool::vllm_sweep);
  }
  EXPECT_EQ(results.runs[1].tag("run_number"), "1");
  EXPECT_EQ(results.runs[1].tag("max_num_seqs"), "4");
  EXPECT_EQ(results.runs[3].tag("max_num_seqs"), "8");
}

TEST_F(RealFiles, ASummaryAloneIsItsRuns) {
  const fs::path cell = folder / "vllm_sweep/SERVE--max_num_seqs=4-BENCH--max_concurrency=2-num_prompts=8";
  const Results results = read_results({(cell / "summary.json").string()}, {}, {});
  ASSERT_THAT(results.runs, SizeIs(2));
  EXPECT_THAT(results.runs[1].source, testing::EndsWith("summary.json#2"));
  EXPECT_THAT(results.left_out, IsEmpty());
}

TEST_F(RealFiles, AnOlderFormWithItsColonAndItsPercentiles) {
  const Results results = read("disaggregated");
  ASSERT_THAT(results.runs, SizeIs(1));
  const results::Run& run = results.runs[0];
  EXPECT_THAT(said(run), IsEmpty());
  EXPECT_EQ(run.metric("p99.9_itl_ms"), 16.35113976360316);
  EXPECT_FALSE(run.metric("request_goodput"));
  EXPECT_FALSE(run.tags.contains("request_goodput:"));
  EXPECT_FALSE(run.failed);
}

TEST_F(RealFiles, TheGridOfSecondsBecomesMillisecondsAndItsNamesBecomeTags) {
  const auto mapping =
      parse_mapping(R"({"files": [{"match": "glm5_*_isl{isl}_osl{osl}_conc*.json"}]})", "m.json");
  ASSERT_TRUE(mapping.has_value());
  const Results results = read("decode_grid", *mapping);
  ASSERT_THAT(results.runs, SizeIs(52));
  for (const results::Run& run : results.runs) {
    EXPECT_THAT(said(run), IsEmpty()) << run.source;  // isl and osl fit the totals
    EXPECT_EQ(run.tool, Tool::inferencex);
    EXPECT_EQ(run.tag("osl"), "128");
    const double sum = *run.metric("median_ttft_ms") + 127 * *run.metric("median_tpot_ms");
    EXPECT_NEAR(sum / *run.metric("median_e2el_ms"), 1, 0.35) << run.source;
  }
  EXPECT_NEAR(*results.runs[0].metric("median_tpot_ms"), 141.0519243694666, 1e-9);
}

// What a file may hold, and what is read of it.
TEST(Serve, ObjectsOneAfterAnotherAreRunsAndABrokenOneIsALine) {
  const std::string first = changed(good_run(), {{"setup", "c"}, {"isl", "1000"}, {"osl", "101"}}).dump();
  const std::string second = changed(good_run(), {{"date", "20260816-170000"}}).dump(4);
  const std::string fourth = changed(good_run(), {{"date", "20260816-180000"}}).dump();
  const Results results = read_text(first + "\n" + second + "\n{\"completed\": 3,}\n" + fourth + "\n");
  ASSERT_THAT(results.runs, SizeIs(3));
  EXPECT_EQ(results.runs[0].source, "run.json");
  EXPECT_EQ(results.runs[1].source, "run.json#2");
  EXPECT_EQ(results.runs[2].source, "run.json#4");
  for (const results::Run& run : results.runs) EXPECT_THAT(said(run), IsEmpty());
  EXPECT_EQ(results.runs[0].tag("setup"), "c");
  EXPECT_THAT(lines(results.refused), ElementsAre("run.json#3: completed: 3,}: not JSON at byte 17"));
}

TEST(Serve, WhatIsNoRunIsLeftOutByNameOrNumber) {
  golden::Scratch scratch;
  golden::put(scratch / "run=0.json", changed(good_run(), {{"run_number", 0}}).dump());
  golden::put(scratch / "copy.json", changed(good_run(), {{"run_number", 0}}).dump());
  golden::put(scratch / "warmup.json", good_run().dump());
  golden::put(scratch / "first.json", changed(good_run(), {{"run_number", -1}}).dump());
  golden::put(scratch / "run=1.failure.json", "{}");
  golden::put(scratch / "run.pytorch.json", "[{}]");
  golden::put(scratch / "notes.md", "not looked at");
  golden::put(scratch / "server.log", "nothing about transfers");
  const Results results = read_results({scratch.path().string()}, {}, {});
  ASSERT_THAT(results.runs, SizeIs(2));
  EXPECT_THAT(said(results.runs[0]), IsEmpty());
  EXPECT_THAT(said(results.runs[1]),
              ElementsAre(HasSubstr("invalid date 20260816-160853 the same date and duration as ")));
  EXPECT_THAT(results.left_out, SizeIs(4));
  EXPECT_THAT(results.refused, IsEmpty());
}

TEST(Files, ComeOnceAndNotWithoutEnd) {
  golden::Scratch scratch;
  const std::string run = (scratch / "a#1.json").string();
  golden::put(run, good_run().dump() + changed(good_run(), {{"date", "later"}}).dump());
  golden::put(scratch / "setups.json", R"({"files": [{"match": "{name}.json"}]})");
  const auto mapping = read_mapping((scratch / "setups.json").string());
  ASSERT_TRUE(mapping.has_value());
  const Results results = read_results({run, scratch.path().string()}, *mapping, {});
  EXPECT_THAT(results.refused, IsEmpty());  // the mapping is no result
  ASSERT_THAT(results.runs, SizeIs(2));
  EXPECT_EQ(results.runs[1].source, run + "#2");
  EXPECT_EQ(results.runs[1].file, run);
  EXPECT_EQ(results.runs[1].place, 2);
  EXPECT_EQ(results.runs[1].tag("name"), "a#1");
  golden::put(scratch / "b.json", changed(good_run(), {{"date", "again"}}).dump());
  ReadOptions few;
  few.most_files = 1;
  EXPECT_THAT(lines(read_results({scratch.path().string()}, *mapping, few).refused),
              ElementsAre(HasSubstr("more than 1 files: the others are not read")));
}

TEST(Serve, AnotherVersionsKeysDoNoHarm) {
  const ordered_json newest = {{"probe_median_e2el_ms", 12.5},
                               {"spec_decode_acceptance_rate", 0.7},
                               {"rps_change_events", {{{"rps", 3}, {"timestamp", "x"}}}},
                               {"request_goodput:", 3.5},
                               {"p50_ttft_ms", 99.0},
                               {"median_ttft_ms", "REMOVED"},
                               {"failed", "REMOVED"},
                               {"endpoint_type", nullptr},
                               {"request_goodput", "REMOVED"}};
  const Results results = read_text(changed(good_run(), newest).dump());
  ASSERT_THAT(results.runs, SizeIs(1));
  const results::Run& run = results.runs[0];
  EXPECT_THAT(said(run), IsEmpty());
  EXPECT_EQ(run.metric("median_ttft_ms"), 99.0);
  EXPECT_EQ(run.metric("request_goodput"), 3.5);
  EXPECT_EQ(run.metric("probe_median_e2el_ms"), 12.5);
  EXPECT_EQ(run.tags,
            (std::map<std::string, std::string>{{"backend", "vllm"}, {"tokenizer_id", "some/model"}}));
}

TEST(Sglang, ALineIsARun) {
  const ordered_json names = {{"date", "REMOVED"},
                              {"num_prompts", "REMOVED"},
                              {"failed", "REMOVED"},
                              {"max_output_tokens_per_s", "REMOVED"},
                              {"mean_e2e_latency_ms", 1100.0},
                              {"median_e2e_latency_ms", 1090.0},
                              {"accept_length", nullptr},
                              {"concurrency", 15.6},
                              {"backend", "sglang"},
                              {"total_throughput", 70464 / 4.5}};
  const std::string line = changed(good_run(), names).dump();
  const std::string other = changed(good_run(), changed(names, {{"duration", 4.51}})).dump();
  const Results results = read_text(line + "\n" + other + "\n" + line + "\n", "out.jsonl");
  ASSERT_THAT(results.runs, SizeIs(3));
  EXPECT_EQ(results.runs[0].tool, Tool::sglang);
  EXPECT_EQ(results.runs[0].metric("mean_e2el_ms"), 1100.0);
  EXPECT_EQ(results.runs[0].metric("mean_concurrency"), 15.6);
  const char* unknown = "note num_prompts  missing: whether requests were lost is not known";
  EXPECT_THAT(said(results.runs[0]), ElementsAre(unknown));
  EXPECT_THAT(said(results.runs[1]), ElementsAre(unknown));
  EXPECT_THAT(said(results.runs[2]), ElementsAre(unknown, HasSubstr("the same numbers as out.jsonl")));
}

TEST(InferenceX, ASummaryIsInSecondsAndKeepsItsParameters) {
  const Results results =
      read_text(R"({"hw": "mi355x", "conc": 64, "model": "m", "isl": 8192, "osl": 1024, "tp": 8,
      "disagg": false, "tput_per_gpu": 234.5, "mean_ttft": 3.5, "median_ttft": 2.3, "mean_tpot": 0.3, "mean_intvty": 3.3,
      "p99.9_tpot": 0.32, "median_tpot": 0.3, "mean_e2el": 310.0})");
  ASSERT_THAT(results.runs, SizeIs(1));
  const results::Run& run = results.runs[0];
  EXPECT_EQ(run.tool, Tool::inferencex_summary);
  EXPECT_EQ(run.metric("mean_ttft_ms"), 3500.0);
  EXPECT_EQ(run.metric("p99.9_tpot_ms"), 320.0);
  EXPECT_EQ(run.metric("tput_per_gpu"), 234.5);
  EXPECT_EQ(run.max_concurrency, 64);
  EXPECT_EQ(run.tag("isl"), "8192");
  EXPECT_EQ(run.tag("disagg"), "false");
  EXPECT_EQ(run.model_id, "m");
  EXPECT_TRUE(run.valid());
}

constexpr const char* kAiperf =
    R"({"schema_version": "1.5", "end_time": "2026-08-16T16:08:53", "was_cancelled": false,
  "request_count": {"unit": "requests", "avg": 2.0}, "error_request_count": {"unit": "requests", "avg": 0},
  "request_throughput": {"unit": "requests/sec", "avg": 4.0},
  "output_token_throughput": {"unit": "tokens/sec", "avg": 12.0},
  "benchmark_duration": {"unit": "sec", "avg": 0.5},
  "output_sequence_length": {"unit": "tokens", "avg": 3, "sum": 6}, "input_sequence_length": {"unit": "tokens", "sum": 20},
  "time_to_first_token": {"unit": "ms", "avg": 150.0, "p50": 150.0, "p99": 199.0, "std": 70.71067811865476, "count": 2},
  "inter_token_latency": {"unit": "us", "avg": 30000.0, "p50": 30000.0},
  "request_latency": {"unit": "s", "avg": 0.21, "p50": 0.21},
  "input_config": {"loadgen": {"concurrency": 2, "request_rate": 8.5}},
  "run_info": {"trial": 3, "variation_values": {"phases.profiling.concurrency": 2}}})";

TEST(Aiperf, UnitsAreWhatTheBlockSays) {
  const Results results = read_text(kAiperf, "a/profile_export_aiperf.json");
  ASSERT_THAT(results.runs, SizeIs(1));
  const results::Run& run = results.runs[0];
  EXPECT_THAT(said(run), IsEmpty());
  EXPECT_EQ(run.tool, Tool::aiperf);
  EXPECT_EQ(run.metric("mean_ttft_ms"), 150);
  EXPECT_EQ(run.metric("mean_tpot_ms"), 30);
  EXPECT_EQ(run.metric("median_e2el_ms"), 210);
  EXPECT_EQ(run.metric("request_throughput"), 4);
  EXPECT_EQ(run.metric("output_throughput"), 12);
  EXPECT_EQ(run.duration_s, 0.5);
  EXPECT_NEAR(*run.metric("std_ttft_ms"), 50, 1e-12);  // the sample's is sqrt(2) times the population's
  EXPECT_EQ(run.completed, 2);
  EXPECT_EQ(run.total_output_tokens, 6);
  EXPECT_EQ(run.max_concurrency, 2);
  EXPECT_EQ(run.request_rate, 8.5);
  EXPECT_EQ(run.tag("run_number"), "3");
  EXPECT_EQ(run.tag("phases.profiling.concurrency"), "2");
}

TEST(Aiperf, RecordsGiveTheRunItsArrays) {
  const std::string records =
      R"({"metadata":{"request_start_ns":1000000000000,"benchmark_phase":"warmup"},"metrics":{},"error":null}
{"metadata":{"request_start_ns":1759813207000000000,"benchmark_phase":"profiling","was_cancelled":false},"metrics":{"input_sequence_length":{"value":10,"unit":"tokens"},"time_to_first_token":{"value":100,"unit":"ms"},"request_latency":{"value":160,"unit":"ms"},"output_sequence_length":{"value":3,"unit":"tokens"},"inter_chunk_latency":{"value":[20,40],"unit":"ms"}},"error":null}
{"metadata":{"request_start_ns":1759813207240000000,"benchmark_phase":"profiling","was_cancelled":false},"metrics":{"input_sequence_length":{"value":10,"unit":"tokens"},"time_to_first_token":{"value":0.2,"unit":"s"},"request_latency":{"value":260,"unit":"ms"},"output_sequence_length":{"value":3,"unit":"tokens"},"inter_chunk_latency":{"value":[30,30],"unit":"ms"}},"error":null}
)";
  const std::vector<NamedText> both{{"a/profile_export.jsonl", records},
                                    {"a/profile_export_aiperf.json", kAiperf}};
  const Results joined = read_texts(both, {}, {});
  ASSERT_THAT(joined.runs, SizeIs(1));
  const results::Run& run = joined.runs[0];
  EXPECT_TRUE(run.valid());
  EXPECT_THAT(said(run), ElementsAre("note benchmark_phase 1 records not of the profiled phase: left out",
                                     "note requests a/profile_export.jsonl the arrays are of this file"));
  ASSERT_TRUE(run.detailed);
  EXPECT_THAT(run.detailed->gaps_s, ElementsAre(0.02, 0.04, 0.03, 0.03));
  EXPECT_NEAR(run.detailed->start_s[1], 0.24, 1e-6);
  EXPECT_EQ(run.metric("p90_itl_ms"), 37);  // between 30 and 40, of 20 30 30 40

  const Results alone = read_text(
      records +
          R"({"metadata":{"request_start_ns":1759813207250000000},"metrics":{"error_isl":{"value":5,"unit":"tokens"}},"error":{"code":499}})",
      "b/profile_export.jsonl");
  ASSERT_THAT(alone.runs, SizeIs(1));
  EXPECT_EQ(alone.runs[0].tool, Tool::aiperf_records);
  EXPECT_EQ(alone.runs[0].completed, 2);
  EXPECT_EQ(alone.runs[0].failed, 1);
  EXPECT_NEAR(*alone.runs[0].metric("mean_tpot_ms"), 30, 1e-9);
  EXPECT_THAT(said(alone.runs[0]), Contains(HasSubstr("1 of 3 requests failed")));
}

TEST(Aiperf, MeansOfRepeatsAndStoppedRunsAreNoRuns) {
  const ordered_json run = ordered_json::parse(kAiperf);
  const ordered_json stopped = changed(run, {{"was_cancelled", true}});
  EXPECT_THAT(said(read_text(stopped.dump()).runs.at(0)),
              ElementsAre(HasSubstr("invalid was_cancelled true")));
  ordered_json unit = run;
  unit["request_latency"]["unit"] = "fortnights";
  EXPECT_THAT(said(read_text(unit.dump()).runs.at(0)),
              ElementsAre(HasSubstr("invalid request_latency.unit fortnights")));
  ordered_json means = run;
  means["request_latency"]["ci_low"] = 1;
  EXPECT_THAT(said(read_text(means.dump()).runs.at(0)), Contains(HasSubstr("no repeat itself")));
}

TEST(Iterations, EachResultIsAStepTime) {
  const Results results = read_text(R"({"results": [
      {"endpoint": "e", "mode": "decode", "context_len": 4096, "input_len": 1, "batch_size": 32, "iteration": 128,
       "server_total_latency_ms": 1280.0, "server_latency_per_iter_ms": 10.0},
      {"mode": "decode", "context_len": 4096, "batch_size": 64, "latency_per_iter_ms": 0.0}], "timestamp": "t"})");
  ASSERT_THAT(results.runs, SizeIs(2));
  EXPECT_EQ(results.runs[0].source, "run.json#1");
  EXPECT_EQ(results.runs[0].metric("server_latency_per_iter_ms"), 10);
  EXPECT_EQ(results.runs[0].tag("batch_size"), "32");
  EXPECT_TRUE(results.runs[0].valid());
  EXPECT_THAT(said(results.runs[1]),
              ElementsAre("invalid results[1].server_latency_per_iter_ms 0 no time of a step"));
}

TEST(Beside, SidecarAndLogGoToTheRunsOfTheirFolder) {
  const std::string log =
      "INFO x\n(EngineCore pid=7) INFO KV Transfer metrics: Num successful transfers=4, Avg xfer time "
      "(ms)=1.0, P90 "
      "xfer time (ms)=2.601, Avg post time (ms)=0.5, P90 post time (ms)=0.801, Avg MB per transfer=2.25, "
      "Throughput "
      "(MB/s)=1629.549, Avg number of descriptors=72.0\nKV Transfer metrics: Num successful transfers=12, "
      "Avg xfer time "
      "(ms)=3.0\nKV Transfer metrics: Num successful transfers=x\n";
  const std::string run = good_run().dump();
  const std::string later = changed(good_run(), {{"date", "20260816-170000"}, {"kernel", "gluon"}}).dump();
  const std::vector<NamedText> files{
      {"c/run=0.json", run},
      {"c/run=1.json", later},
      {"c/server.log", log},
      {"c/split.json",
       R"({"run": "run=0.json", "convert_ms": {"p50": 2, "p99": 3.5}, "decode_kernel": "asm", "effective_batch": 33})"},
      {"c/split1.json", R"({"run": "run=1.json", "decode_kernel": "asm"})"},
      {"d/split.json", R"({"decode_kernel": "asm"})"}};
  const Results results = read_texts(files, {}, {});
  ASSERT_THAT(results.runs, SizeIs(2));
  const Split& split = results.runs[0].split.value();
  EXPECT_EQ(split.decode_kernel, "asm");
  EXPECT_EQ(split.convert_ms.p99, 3.5);
  EXPECT_EQ(split.effective_batch_mean, 33);
  EXPECT_EQ(split.transfers, 16);
  EXPECT_EQ(split.transfer_ms.mean, 2.5);  // 4 of 1 ms, 12 of 3 ms
  EXPECT_EQ(split.post_ms_mean, 0.5);      // of the line that says it
  EXPECT_EQ(split.descriptors_mean, 72);
  EXPECT_THAT(said(results.runs[1]),
              ElementsAre("invalid decode_kernel c/split1.json says asm, the run's own tag kernel gluon"));
  EXPECT_THAT(
      lines(results.refused),
      ElementsAre("c/server.log: line 4: KV Transfer metrics: Num successful transfers=x: not a number",
                  "d/split.json: no run of it in the same folder"));
}

TEST(MappingFile, PatternsMatchFromSomeComponentToTheEnd) {
  struct Case {
    const char* pattern;
    const char* path;
    const char* tags;  // "-": no match
  };
  constexpr Case kCases[]{{"run.json", "a/b/run.json", ""},
                          {"b/*.json", "a/b/run.json", ""},
                          {"*.json", "run.jsonl", "-"},
                          {"un.json", "a/run.json", "-"},
                          {"a/*.json", "a/b/run.json", "-"},
                          {"a/**.json", "a/b/run.json", ""},
                          {"{setup}/run=?.json", "x/c/run=2.json", "setup=c "},
                          {"{setup}/run=?.json", "x/c/run=12.json", "-"},
                          {"*_isl{isl}_osl{osl}_c*.json", "g/m_isl4096_osl128_c8.json", "isl=4096 osl=128 "},
                          {"{a}{b}", "xyz", "a=x b=yz "},
                          {"{a}", "", "-"}};
  for (const Case& one : kCases) {
    const auto tags = match_path(one.pattern, one.path);
    std::string text = tags ? "" : "-";
    for (const auto& [name, value] : tags.value_or(std::map<std::string, std::string>{}))
      text += name + "=" + value + " ";
    EXPECT_EQ(text, one.tags) << one.pattern << " " << one.path;
  }
  // As many wildcards as a backtracking matcher would not finish with.
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(match_path(pattern + "b", std::string(4000, 'a')));
}

TEST(MappingFile, GivesTagsAndContradictsNobody) {
  const auto mapping = parse_mapping(
      R"({"files": [{"match": "{setup}/*.json", "tags": {"pd": "1:1", "isl": 1000}}, {"match": "c/*", "tags": {"setup": "c"}}]})",
      "m.json");
  ASSERT_TRUE(mapping.has_value());
  const std::string run = changed(good_run(), {{"isl", "1000"}}).dump();
  EXPECT_EQ(read_text(run, "x/c/1.json", *mapping).runs.at(0).tag("setup"), "c");
  EXPECT_THAT(said(read_text(run, "x/c/1.json", *mapping).runs.at(0)), IsEmpty());
  const std::string other = changed(good_run(), {{"setup", "b"}}).dump();
  const Results results = read_text(other, "x/c/1.json", *mapping);
  EXPECT_THAT(said(results.runs.at(0)),
              ElementsAre("invalid setup b m.json says c", "invalid setup b m.json says c"));

  constexpr std::pair<const char*, const char*> kWrong[]{
      {"", "m.json: $: 0 objects: expected one object with the list `files`"},
      {"{}", "m.json: files: expected a list of objects, each with `match`"},
      {R"({"files": [{"tags": {"a": "b"}}]})", "m.json: files[0].match: missing"},
      {R"({"files": [{"match": 3}]})", "m.json: files[0].match: 3: expected `match`, a text, or `tags`"},
      {R"({"files": [{"match": "a", "tag": "b"}]})",
       "m.json: files[0].tag: b: expected `match`, a text, or `tags`"},
      {R"({"files": [{"match": "a"}], "file": 1})", "m.json: file: 1: no such key"}};
  for (const auto& [text, error] : kWrong) {
    const auto parsed = parse_mapping(text, "m.json");
    EXPECT_EQ(parsed ? "" : to_string(parsed.error()), error) << text;
  }
}

}  // namespace
}  // namespace pageproof::results
