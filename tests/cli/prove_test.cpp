// pageproof prove, as its users run it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"

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

// The replay line of an example is a command: it refutes with the same example.
TEST(Prove, a_counterexample_is_a_file_that_replays) {
  const golden::Scratch scratch;
  const json document =
      run_json({"prove", "halves.concatenated", "--mutants", "--cases", (scratch / "cases").string()}, 0);
  const json example = document["obligations"][0]["mutants"][0]["example"];
  const std::string file = (scratch / ("cases/" + example["name"].get<std::string>() + ".json")).string();
  EXPECT_EQ(example["replay"], "pageproof prove halves.concatenated --case " + file);
  const json replayed = run_json({"prove", "halves.concatenated", "--case", file}, 1);
  EXPECT_EQ(replayed["holds"], false);
  EXPECT_EQ(replayed["failure"], example);

  const json stored = json::parse(golden::contents(file));
  json smaller = stored;
  for (const char* name : {"byte", "quotient0", "remainder0"}) smaller["values"][name] = 0;
  golden::put((scratch / "holds.json").string(), smaller.dump());
  EXPECT_EQ(run_json({"prove", "--case", (scratch / "holds.json").string()}, 0)["holds"], true);

  const auto refused = [&](const char* field, json value, std::vector<std::string> words) {
    json bad = stored;
    bad[json::json_pointer(field)] = std::move(value);
    golden::put((scratch / "bad.json").string(), bad.dump());
    expect_refused(
        run({"prove", "halves", "--case", (scratch / "bad.json").string()}, {kSmallMemory, {}, {}}), words);
  };
  refused("/schema", "fuzz_case_v1", {"schema", "proof_case_v1"});
  refused("/obligation", "lemma.division", {"obligation: lemma.division", "not among"});
  refused("/name", "halves.none", {"name: halves.none", "no mutant and no query"});
  refused("/values", json::object(), {"values.", "missing"});
  refused("/values/byte", -1, {"values.byte: -1", "whole number"});
  refused("/values/byte", 18446744073709551615u, {"values.byte: 18446744073709551615", "2^63-1"});
  refused("/values/byte", 3, {"values: ", "byte=3", "break what the claim assumes"});
  refused("/values/other", 1, {"values.other: 1", "no such number"});
  expect_refused(run({"prove", "--case", (scratch / "absent.json").string()}, {kSmallMemory, {}, {}}),
                 {"absent.json"});
}

// Of the mutants of one obligation, each has a case of its own.
TEST(Prove, every_example_of_an_obligation_replays) {
  const golden::Scratch scratch;
  const std::string cases = (scratch / "cases").string();
  const json document = run_json({"prove", "negotiation.landing", "--mutants", "--cases", cases}, 0);
  const json& mutants = document["obligations"][0]["mutants"];
  EXPECT_GE(mutants.size(), 2u);
  for (const json& mutant : mutants) {
    const std::string file = cases + "/" + mutant["mutant"].get<std::string>() + ".json";
    const json replayed = run_json({"prove", "negotiation.landing", "--case", file}, 1);
    EXPECT_EQ(replayed["failure"], mutant["example"]);
  }
}

TEST(Prove, an_export_that_does_not_fit_leaves_no_half_of_a_script) {
  const golden::Scratch scratch;
  expect_refused(run({"prove", "descriptors.cover", "--smtlib", (scratch / "smt").string()}, {{}, 200, {}}),
                 {"--smtlib", "cannot be written"});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch / "smt")) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();
  }
}

TEST(Prove, refuses_options_that_would_be_ignored) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--list", "--mutants"},
                                                  {"--list", "--smtlib", "d"},
                                                  {"--list", "--recheck", "cvc5"},
                                                  {"--mutants", "--recheck", "cvc5"}}) {
    std::vector<std::string> arguments{"prove"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_refused(run(arguments, {kSmallMemory, {}, {}}), {options[0], "excludes"});
  }
}

TEST(Prove, refuses_an_unknown_name_with_the_nearest) {
  expect_refused(run({"prove", "halves.odd_head"}, {kSmallMemory, {}, {}}),
                 {"halves.odd_head: no obligation has this name", "did you mean halves.odd_heads"});
  expect_refused(run({"prove", "--recheck", "z9"}, {kSmallMemory, {}, {}}), {"--recheck", "z9"});
}

}  // namespace
}  // namespace pageproof::cli_tests
