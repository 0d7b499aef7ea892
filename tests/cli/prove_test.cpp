// pageproof prove, as its users run it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace pageproof::cli_tests {
namespace {

using nlohmann::json;

TEST(Prove, one_obligation_with_its_mutants) {
  const json document = run_json({"prove", "halves.concatenated", "--seed", "3"}, 0);
  EXPECT_EQ(document["holds"], true);
  ASSERT_EQ(document["obligations"].size(), 1u);
  const json& obligation = document["obligations"][0];
  EXPECT_EQ(obligation["result"], "proved");
  EXPECT_GT(obligation["queries"].size(), 10u);
  EXPECT_EQ(obligation["mutants"][0]["result"], "refuted");
  EXPECT_EQ(obligation["mutants"][0]["example"]["example"], "S=1   byte=2");
}

TEST(Prove, mutants_show_their_examples) {
  const std::string out = run({"prove", "descriptors", "--mutants"}).out;
  EXPECT_NE(out.find("REFUTED   descriptors.inside.block_too_far"), std::string::npos) << out;
  EXPECT_NE(out.find("Example   S=1 B=1 base=0   block=1 byte=0"), std::string::npos) << out;
}

TEST(Prove, list_names_every_group) {
  const std::string out = run({"prove", "--list"}).out;
  for (const char* name :
       {"lemma.division", "format.cpu-amx", "layout.BHLNC", "writer.shuffled_v", "reader.ll4mi_k",
        "halves.odd_heads", "same.tile_k", "words.first_wrapping_block", "descriptors.cover"}) {
    EXPECT_NE(out.find(name), std::string::npos) << name;
  }
}

TEST(Prove, refuses_an_unknown_name_with_the_nearest) {
  expect_refused(run({"prove", "halves.odd_head"}, {kSmallMemory, {}, {}}),
                 {"halves.odd_head: no obligation has this name", "did you mean halves.odd_heads"});
  expect_refused(run({"prove", "--recheck", "z9"}, {kSmallMemory, {}, {}}), {"--recheck", "z9"});
}

}  // namespace
}  // namespace pageproof::cli_tests
