// What a table of checks and a campaign answer: holds only where something was tried and nothing failed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::cli_tests {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string result_of(const nlohmann::json& table, const std::string& check) {
  for (const nlohmann::json& row : table["checks"]) {
    if (row["check"] == check) return row["result"];
  }
  return "absent";
}

TEST(Verdict, a_check_without_a_case_does_not_hold) {
  const golden::Scratch scratch;
  fs::create_directory(scratch / "foreign");
  const auto table = run_json({"verify", "peer_pages.oracle", "--fixtures", scratch.path()}, 1);
  EXPECT_EQ(table["holds"], false);
  EXPECT_EQ(result_of(table, "peer_pages.oracle"), "EMPTY");
}

TEST(Verdict, a_check_that_found_a_wrong_byte_is_refuted) {
  const golden::Scratch scratch;
  fs::create_directory(scratch / "foreign");
  const fs::path page = fs::path(PAGEPROOF_FOREIGN) / "bf16_B5_H3_N16_D128.safetensors";
  std::string bytes = golden::contents(page);
  golden::put(scratch / "foreign/a.safetensors", bytes);
  const Words verify{"verify", "peer_pages.oracle", "peer_pages.converter", "--fixtures", scratch.path()};
  EXPECT_EQ(run_json(verify, 0)["holds"], true);
  const std::size_t middle = bytes.size() / 2;
  bytes[middle] = static_cast<char>(bytes[middle] ^ 0x10);
  golden::put(scratch / "foreign/a.safetensors", bytes);
  const auto table = run_json(verify, 1);
  EXPECT_EQ(result_of(table, "peer_pages.oracle"), "REFUTED");
  EXPECT_EQ(result_of(table, "peer_pages.converter"), "REFUTED");
}

TEST(Verdict, a_check_that_ends_early_is_refuted) {
  const golden::Scratch scratch;  // has no folder `foreign`
  const auto table = run_json({"verify", "peer_pages.oracle", "--fixtures", scratch.path()}, 1);
  EXPECT_EQ(result_of(table, "peer_pages.oracle"), "REFUTED");
}

TEST(Verdict, a_check_that_could_not_run_is_skipped) {
  const golden::Scratch scratch;
  ASSERT_EQ(::setenv("PAGEPROOF_SHARED", scratch.path().c_str(), 1), 0);
  const auto table = run_json({"verify", "peer_pages.shared"}, 0);
  ::unsetenv("PAGEPROOF_SHARED");
  EXPECT_EQ(result_of(table, "peer_pages.shared"), "skipped");
  EXPECT_EQ(table["checks"][0]["cases"], 0);
}

const std::string kReport =
    R"({"schema":"fuzz_report_v1","runs":[{"seed":SEED,"shard":"1/1","rounds":1,"seconds":1,"commit":"c"}],)"
    R"("properties":[{"name":"p","cases":CASES,"failures":[FAILURES]}]})";
const std::string kFailure =
    R"({"name":"p","claim":"c","example":"e","expected":"x","got":"g","replay":"r","case":)"
    R"({"schema":"fuzz_case_v1","property":"p","domain":"wide","choices":[],"case":{},"seed":1,"round":0,)"
    R"("commit":"c"}})";

std::string report(const std::string& seed, const std::string& cases, const std::string& failures) {
  std::string text = kReport;
  for (const auto& [name, value] :
       {std::pair{"SEED", seed}, std::pair{"CASES", cases}, std::pair{"FAILURES", failures}}) {
    text.replace(text.find(name), std::string(name).size(), value);
  }
  return text;
}

TEST(Verdict, a_merged_campaign_holds_where_every_part_does) {
  const golden::Scratch scratch;
  golden::put(scratch / "good", report("1", "5", ""));
  golden::put(scratch / "more", report("2", "7", ""));
  golden::put(scratch / "none", report("3", "0", ""));
  golden::put(scratch / "bad", report("4", "9", kFailure));
  const auto merged = run_json({"fuzz", "--merge", scratch / "good", scratch / "more"}, 0);
  EXPECT_EQ(merged["properties"][0]["cases"], 12);
  run_json({"fuzz", "--merge", scratch / "none"}, 1);
  for (const Words& order :
       {Words{scratch / "good", scratch / "bad"}, Words{scratch / "bad", scratch / "good"}}) {
    const auto refuted = run_json({"fuzz", "--merge", order[0], order[1]}, 1);
    EXPECT_EQ(refuted["properties"][0]["failures"].size(), 1u);
  }
  expect_refused(run({"fuzz", "--merge", scratch / "good", scratch / "good"}),
                 {"good", "shard", "there already"});
}

}  // namespace
}  // namespace pageproof::cli_tests
