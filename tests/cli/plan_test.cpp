// pageproof plan as its users run it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::cli_tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Words = std::vector<std::string>;

class PlanCommand : public testing::Test {
 protected:
  golden::Scratch scratch;
  const std::string decode = write("decode.json", R"({"engine_id": "decode", "backend": "ROCM_AITER_FA",
    "shuffle": true, "environment_layout": "LHBNC", "announces_page_format": true, "convert_page_format": true,
    "num_blocks": 6, "base_address": 9437184, "model": {"layers": 2, "kv_heads": 2, "head_dim": 8}})");
  const std::string prefill = write("prefill.json", R"({"engine_id": "prefill", "backend": "ROCM_AITER_FA",
    "announces_page_format": true, "num_blocks": 4, "base_address": 1048576,
    "model": {"layers": 2, "kv_heads": 2, "head_dim": 8}})");

  std::string write(const std::string& name, const std::string& text) {
    golden::put(scratch / name, text);
    return scratch / name;
  }
  Words request(const Words& more = {}) const {
    Words words{"plan", decode, prefill, "--local-blocks", "5,1", "--remote-blocks", "0,3"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

// Spec §4.6.
TEST_F(PlanCommand, prints_the_worked_example) {
  const json plan = run_json(request({"--strategy", "halves"}), 0);
  EXPECT_EQ(plan["chosen"], "halves");
  EXPECT_EQ(plan["reads"][0]["local_ids"], (json{5, 1, 11, 7, 17, 13, 23, 19}));
  EXPECT_EQ(plan["reads"][0]["remote_ids"], (json{0, 3, 4, 7, 8, 11, 12, 15}));
  EXPECT_EQ(plan["reads"][0]["local_rows"][0], (json{0x900a00, 512, 0}));
  EXPECT_EQ(plan["reads"][0]["posted"].size(), 8u);
  const Outcome text = run(request());
  EXPECT_EQ(text.exit_code, 0);
  for (const char* line :
       {"pages    standard -> aiter-shuffled: converted after the read", "chosen   halves",
        "no --staging memory", "5 0x900a00 <-          0 0x100000  512 B", "checked  11 rules hold"}) {
    EXPECT_THAT(text.out, HasSubstr(line));
  }
}

TEST_F(PlanCommand, chooses_what_the_costs_say) {
  const Words staging{"--staging", "0x40000:65536"};
  EXPECT_EQ(run_json(request(staging), 0)["chosen"], "staged");
  Words free = staging;
  free.insert(free.end(), {"--us-per-descriptor", "0"});
  EXPECT_EQ(run_json(request(free), 0)["chosen"], "halves");  // the first of equal ones
}

TEST_F(PlanCommand, writes_a_line_a_pair) {
  const Outcome csv = run(request({"--csv", "--strategy", "staged", "--staging", "262144:65536"}));
  EXPECT_EQ(csv.exit_code, 0);
  EXPECT_EQ(csv.out,
            "rank,position,local_id,local_address,local_device,remote_id,remote_address,remote_device,bytes,"
            "transfer\n"
            "0,0,0,262144,0,0,1048576,0,1024,0\n0,1,1,263168,0,3,1051648,0,1024,1\n"
            "0,2,2,264192,0,4,1052672,0,1024,1\n0,3,3,265216,0,7,1055744,0,1024,2\n");
}

TEST_F(PlanCommand, writes_python_literals) {
  const Outcome some = run(request({"--tuples", "--strategy", "halves"}));
  EXPECT_EQ(some.exit_code, 0);
  EXPECT_THAT(some.out, HasSubstr("\"local_descs\": [(9437696, 512, 0), (9439744, 512, 0), "));
  EXPECT_THAT(some.out, HasSubstr("\"local_ids\": [1, 0, 3, 2, 5, 4, 7, 6],"));
  const Outcome all = run(request({"--tuples", "--strategy", "halves", "--rows", "all"}));
  EXPECT_THAT(all.out, HasSubstr("\"local_ids\": [5, 1, 11, 7, 17, 13, 23, 19],"));
  EXPECT_THAT(all.out, HasSubstr("\"remote_descs\": [(1048576, 512, 0), (1049600, 512, 0), "));
}

// Captured metadata plans the rows that the descriptions plan.
TEST_F(PlanCommand, reads_captures) {
  const json described = run_json(request({"--strategy", "halves"}), 0);
  Words captured = request({"--strategy", "halves"});
  for (const std::size_t i : {1, 2}) {
    const json decoded = run_json({"handshake", "decode", captured[i]}, 0);
    captured[i] = write(fmt::format("captured{}.json", i), decoded["metadata"].dump());
  }
  const json plan = run_json(captured, 0);
  EXPECT_EQ(plan["reads"], described["reads"]);
}

// One REMOTE for each rank that is read: each has addresses of its own.
TEST_F(PlanCommand, takes_a_remote_for_each_source_rank) {
  const auto ranks = [&](const std::string& name, const std::string& more) {
    return write(
        name,
        R"({"backend": "ROCM_AITER_FA", "model": {"layers": 1, "kv_heads": 4, "head_dim": 8}, )" + more);
  };
  const std::string local = ranks("local.json", R"("engine_id": "d", "num_blocks": 6})");
  const std::string first =
      ranks("r0.json", R"("engine_id": "p", "num_blocks": 9, "tp_size": 2, "base_address": 4096})");
  const std::string second = ranks(
      "r1.json", R"("engine_id": "p", "num_blocks": 9, "tp_size": 2, "tp_rank": 1, "base_address": 65536})");
  const json plan =
      run_json({"plan", local, first, second, "--local-blocks", "5", "--remote-blocks", "8"}, 0);
  ASSERT_EQ(plan["reads"].size(), 2u);
  const std::uint64_t base = (std::uint64_t{1} << 32) + 5 * 2048;
  EXPECT_EQ(plan["reads"][0]["remote_rows"][0], (json{4096 + 8 * 1024, 1024, 0}));
  EXPECT_EQ(plan["reads"][0]["local_rows"][0], (json{base, 1024, 0}));
  EXPECT_EQ(plan["reads"][1]["rank"], 1);
  EXPECT_EQ(plan["reads"][1]["remote_rows"][0], (json{65536 + 8 * 1024, 1024, 0}));
  EXPECT_EQ(plan["reads"][1]["local_rows"][0], (json{base + 1024, 1024, 0}));
  expect_refused(run({"plan", local, first, second, first, "--local-blocks", "5", "--remote-blocks", "8"}),
                 {"REMOTE", "one for each of the 2 ranks"});
}

TEST_F(PlanCommand, says_that_an_empty_read_posts_nothing) {
  const Outcome text = run({"plan", decode, prefill, "--local-blocks", "none", "--remote-blocks", "0,3"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("full prefix hit); nothing is posted"));
}

TEST_F(PlanCommand, refuses_what_cannot_be_planned) {
  struct Bad {
    Words more;
    Words words;
  };
  for (const Bad& bad :
       {Bad{{"--strategy", "thirds"}, {"--strategy", "thirds", "run-halves"}},
        Bad{{"--strategy", "whole"}, {"whole", "does not fit"}},
        Bad{{"--strategy", "staged"}, {"--staging", "BASE:BYTES"}},
        Bad{{"--staging", "7"}, {"--staging", "BASE:BYTES"}},
        Bad{{"--staging", "0xffffffffffffffff:2"}, {"--staging", "2^64"}},
        Bad{{"--staging", "9437184:65536", "--strategy", "staged"}, {"overlaps the registered"}},
        Bad{{"--csv", "--tuples"}, {"--csv", "--tuples"}},
        Bad{{"--link-gb", "0"}, {"--link-gb", "not a rate"}},
        Bad{{"--us-per-descriptor", "nan"}, {"--us-per-descriptor"}},
        Bad{{"--check", decode}, {"--check", "alone"}}}) {
    expect_refused(run(request(bad.more), {kSmallMemory, {}, {}, {}}), bad.words);
  }
  for (const auto& [to, from, word] :
       {std::array{"5,x", "0,3", "\"x\""}, std::array{"5-1", "0", "backwards"},
        std::array{"6", "0", "region 0 has 6"}, std::array{"5,1", "0,4", "region 0 has 4"},
        std::array{"5,5", "0,1", "stands twice"}, std::array{"5,1", "0", "fewer than the 2"},
        std::array{"5;1", "0", "groups"}, std::array{"0-99999999999", "0", "more than 1048576"}}) {
    expect_refused(run({"plan", decode, prefill, "--local-blocks", to, "--remote-blocks", from},
                       {kSmallMemory, {}, {}, {}}),
                   {word});
  }
  expect_refused(run({"plan", prefill, decode, "--local-blocks", "1", "--remote-blocks", "1"}),
                 {"aiter-shuffled -> standard"});
  expect_refused(run({"plan"}), {"LOCAL and REMOTE"});
}

TEST_F(PlanCommand, judges_a_plan_made_elsewhere) {
  const std::string good = R"({"local": {"memory": [[9437184, 12288, 0]], "rows": [[9439744, 512, 0]]},
    "remote": {"memory": [[1048576, 8192, 0]], "rows": [[1048576, 512, 0]]}})";
  const json holds = run_json({"plan", "--check", write("plan.json", good)}, 0);
  EXPECT_EQ(holds["pairs"], 1);
  EXPECT_EQ(holds["request_checked"], false);

  std::string outside = good;
  outside.replace(outside.find("[1048576, 512, 0]"), 17, "[1056768, 512, 0]");
  const json refuted = run_json({"plan", "--check", write("plan.json", outside)}, 1);
  EXPECT_EQ(refuted["rule"], "remote_inside");
  EXPECT_EQ(refuted["row"], 0);
  const Outcome text = run({"plan", "--check", scratch / "plan.json"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.out, HasSubstr("REFUTED   plan.remote_inside"));
  EXPECT_THAT(text.out, HasSubstr("0x102000, 512 B, device 0"));

  expect_refused(run({"plan", "--check", write("plan.json", "{\"local\": 3}")}),
                 {"$.local", "not an object"});
  expect_refused(run({"plan", "--check", scratch / "none.json"}), {"cannot be read"});
}

// What is left out is not an empty list.
TEST_F(PlanCommand, needs_both_lists_of_blocks) {
  expect_refused(run({"plan", decode, prefill, "--remote-blocks", "3,4"}), {"--local-blocks", "none"});
  expect_refused(run({"plan", decode, prefill, "--local-blocks", "3,4"}), {"--remote-blocks", "none"});
  expect_refused(run({"plan", decode, prefill}), {"--local-blocks"});
}

TEST_F(PlanCommand, refuses_options_that_do_not_go_together) {
  expect_refused(run(request({"--csv", "--json"})), {"--csv", "--json"});
  expect_refused(run(request({"--tuples", "--json"})), {"--tuples", "--json"});
  expect_refused(run(request({"--rows", "all", "--csv"})), {"--rows", "--tuples"});
  expect_refused(run(request({"--rows", "all"})), {"--rows", "--tuples"});
  const std::string good = write("plan.json", R"({"local": {"memory": [[0, 64, 0]], "rows": []},
    "remote": {"memory": [[0, 64, 0]], "rows": []}})");
  EXPECT_EQ(run({"plan", "--check", good}).exit_code, 0);
  for (const Words& more : {Words{"--csv"}, Words{"--tuples"}, Words{"--local-blocks", "1"},
                            Words{"--rows", "all"}, Words{"--staging", "16:16"}, Words{"--strategy", "whole"},
                            Words{"--local-tp", "2"}, Words{"--link-gb", "3"}}) {
    Words words{"plan", "--check", good};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(run(words), {"--check", "alone"});
  }
}

TEST_F(PlanCommand, bounds_the_cost_model) {
  for (const auto& [option, value] :
       {std::array{"--link-gb", "1e-320"}, std::array{"--convert-gb", "1e-320"},
        std::array{"--link-gb", "1e300"}, std::array{"--us-per-descriptor", "1e308"},
        std::array{"--us-per-read", "1e10"}}) {
    expect_refused(run(request({option, value})), {option, "not a "});
  }
  const Outcome slow = run(request({"--us-per-descriptor", "1e9", "--link-gb", "1e-6"}));
  EXPECT_EQ(slow.exit_code, 0);
  EXPECT_THAT(slow.out, testing::Not(HasSubstr("inf")));
}

// The id is what is wrong, not the strategy that was asked for.
TEST_F(PlanCommand, blames_what_is_wrong) {
  const Outcome bad = run({"plan", decode, prefill, "--local-blocks", "6", "--remote-blocks", "0"});
  expect_refused(bad, {"local: blocks of group 0: 6: region 0 has 6 of them"});
  EXPECT_THAT(bad.err, testing::Not(HasSubstr("--strategy")));
  const Outcome overlap = run(request({"--strategy", "staged", "--staging", "9437184:65536"}));
  expect_refused(overlap, {"staging", "overlaps the registered"});
  EXPECT_THAT(overlap.err, testing::Not(HasSubstr("--strategy")));
}

// What the converter refuses is not chosen: a page it cannot hold in place, memory that is not aligned.
TEST_F(PlanCommand, chooses_no_strategy_that_is_not_converted) {
  const auto engines = [&](std::uint64_t heads, std::uint64_t base) {
    const std::string model = fmt::format(
        R"("model": {{"layers": 1, "kv_heads": {0}, "query_heads": {0}, "head_dim": 128}})", heads);
    return std::array{
        write("d.json", fmt::format(R"({{"engine_id": "d", "backend": "ROCM_AITER_FA", "shuffle": true,
          "environment_layout": "LHBNC", "convert_page_format": true, "base_address": {}, {}}})",
                                    base, model)),
        write("p.json", fmt::format(R"({{"engine_id": "p", "backend": "ROCM_AITER_FA", {}}})", model))};
  };
  const auto planned = [&](std::uint64_t heads, std::uint64_t base, const Words& more) {
    const auto [d, p] = engines(heads, base);
    Words words{"plan", d, p, "--local-blocks", "1", "--remote-blocks", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Words staging{"--staging", "0x10000000:16777216", "--us-per-read", "0"};
  EXPECT_THAT(planned(32, 1ull << 32, {}).out, HasSubstr("chosen   halves"));  // 262,144 B
  expect_refused(planned(64, 1ull << 32, {}), {"524288", "in place", "no --staging memory"});
  EXPECT_THAT(planned(64, 1ull << 32, staging).out, HasSubstr("chosen   staged"));
  expect_refused(planned(8, (1ull << 32) + 8, staging), {"multiple of 16"});
  EXPECT_THAT(planned(8, 1ull << 32, {"--staging", "0x10000008:16777216"}).out, HasSubstr("chosen   halves"));
  EXPECT_THAT(planned(8, 1ull << 32, {"--strategy", "staged", "--staging", "0x10000008:16777216"}).out,
              HasSubstr("asked for; staging memory begins at no multiple of 16 B"));
}

// The line that repeats a refuted plan has every option that the plan had, ready for a shell.
TEST_F(PlanCommand, a_refuted_plan_can_be_replayed) {
  std::filesystem::create_directory(scratch / "a b");
  const std::string bad = write("a b/x y.json", R"({"local": {"memory": [[0, 8, 0]], "rows": [[8, 8, 0]]},
    "remote": {"memory": [[0, 8, 0]], "rows": [[0, 8, 0]]}})");
  EXPECT_THAT(run({"plan", "--check", bad}).out, HasSubstr("--check '" + bad + "'"));
  const json decoded = run_json({"handshake", "decode", prefill}, 0);
  const auto captured = [&](const std::string& name, const std::string& id) {
    json metadata = decoded["metadata"];
    metadata["engine_id"] = id;
    return write(name, metadata.dump());
  };
  const std::string to = captured("a b/to.json", "d"), from = captured("from.json", "p");
  const Outcome twice =
      run({"plan", to, from, "--local-blocks", "1;1", "--remote-blocks", "0;2", "--local-tp", "2",
           "--local-rank", "1", "--remote-tp", "2", "--kv-heads", "4", "--staging", "16:64"});
  EXPECT_EQ(twice.exit_code, 1) << twice.err;
  EXPECT_THAT(twice.out, HasSubstr("plan.destinations_apart"));
  EXPECT_THAT(twice.out,
              HasSubstr("pageproof plan '" + to + "' " + from +
                        " --local-blocks '1;1' --remote-blocks '0;2' --strategy whole --staging 16:64 "
                        "--local-tp 2 --local-rank 1 --remote-tp 2 --kv-heads 4"));
}

TEST_F(PlanCommand, reads_a_plan_from_a_pipe_and_bounds_it) {
  const std::string pipe = scratch / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream(pipe) << R"({"local": {"memory": [[0, 64, 0]], "rows": [[0, 8, 0]]},
                               "remote": {"memory": [[0, 64, 0]], "rows": [[8, 8, 0]]}})";
  });
  EXPECT_EQ(run({"plan", "--check", pipe}).exit_code, 0);
  writer.join();
  expect_refused(run({"plan", "--check", scratch / ""}), {"cannot be read"});
  const std::string large = scratch / "large.json";
  golden::put(large, "{");
  std::filesystem::resize_file(large, (64ull << 20) + 1);
  expect_refused(run({"plan", "--check", large}, {kSmallMemory, {}, {}, {}}),
                 {"size", "above 67108864 bytes"});
  expect_refused(run({"plan", "--check", "/dev/zero"}, {kSmallMemory, {}, {}, {}}), {"size"});
}

// Rows are written as they are made: a table needs no second copy of itself.
TEST_F(PlanCommand, writes_long_tables_in_little_memory) {
  const auto engine = [&](const std::string& name, const std::string& more) {
    return write(name + ".json",
                 fmt::format(R"({{"engine_id": "{}", "backend": "ROCM_AITER_FA", "num_blocks": 100000,
      "model": {{"layers": 36}}{}}})",
                             name, more));
  };
  const std::string local = engine("d", ""), remote = engine("p", "");
  const Outcome csv =
      run({"plan", local, remote, "--local-blocks", "0-9999", "--remote-blocks", "0-9999", "--csv"},
          {kSmallMemory / 4, {}, {}, {}});
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 360001);
}

}  // namespace
}  // namespace pageproof::cli_tests
