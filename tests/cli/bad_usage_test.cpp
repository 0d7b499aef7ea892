// What a person may type wrong, and what --help and --json promise.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/files.hpp"
#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::cli_tests {
namespace {

using Words = std::vector<std::string>;

const Words kOffset{"offset", "--format",        "standard", "--heads", "2", "--tokens", "16", "--head-dim",
                    "64",     "--element-bytes", "2",        "--side",  "k", "--head",   "0",  "--token",
                    "0",      "--dim",           "0"};

Words offset_with(const std::string& option, const std::string& value) {
  Words arguments = kOffset;
  for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
    if (arguments[i] != option) continue;
    arguments[i + 1] = value;
    return arguments;
  }
  arguments.insert(arguments.end(), {option, value});
  return arguments;
}

TEST(Usage, the_offset_of_these_tests_holds) {
  EXPECT_EQ(run(kOffset).exit_code, 0);
}

TEST(Usage, refuses_what_it_does_not_know) {
  struct Bad {
    Words arguments;
    Words words;
  };
  for (const Bad& bad :
       {Bad{{}, {"subcommand"}},
        Bad{{"shuffle"}, {"shuffle: no such subcommand", "convert"}},
        Bad{{"fixtures", "make"}, {"make: no such subcommand", "generate"}},
        Bad{{"formats", "--verbose"}, {"--verbose"}},
        Bad{{"formats", "extra"}, {"extra"}},
        Bad{{"convert"}, {"FILE", "required"}},
        Bad{{"convert", "a"}, {"--output", "required"}},
        Bad{{"check"}, {"FILE", "required"}},
        Bad{{"check", "a\nb"}, {"a\\x0ab"}},
        Bad{{"fixtures"}, {"subcommand"}},
        Bad{{"gonogo"}, {"RESULTS", "required"}},
        Bad{{"gonogo", ".", "-o", "verdict.pdf"}, {"--output", "verdict.pdf", ".json"}},
        Bad{{"gonogo", ".", "--vs", "a3"}, {"--vs", "a3"}},
        Bad{{"gonogo", ".", "--theta", "3"}, {"--theta", "3"}},
        Bad{{"gonogo", ".", "--plan", "absent.json"}, {"absent.json"}},
        Bad{{"gonogo", ".", "--json", "--csv"}, {"--json", "--csv"}},
        Bad{{"gonogo", ".", "--json", "--markdown"}, {"--json", "--markdown"}},
        Bad{{"gonogo", ".", "--goodput", "ttft:0"}, {"--goodput", "ttft:0"}},
        Bad{{"gonogo", ".", "--differ", "osl"}, {"--differ", "osl"}},
        Bad{{"gonogo", ".", "--weights", "w.json", "--over-cells", "all"}, {"--weights", "--over-cells"}}}) {
    expect_refused(run(bad.arguments, {kSmallMemory, {}, {}, {}}), bad.words);
  }
}

TEST(Usage, refuses_numbers_that_are_none) {
  for (const char* option :
       {"--heads", "--tokens", "--head-dim", "--element-bytes", "--block", "--head", "--token", "--dim"}) {
    for (const char* value : {"-1", "1e3", "18446744073709551616", "0x10", "", " 1", "1.0", "seven"}) {
      expect_refused(run(offset_with(option, value)), {option, value, "not a whole number"});
    }
  }
}

// What a shell leaves of a variable that was not set: never the same as an option that was not given.
TEST(Usage, refuses_empty_words) {
  struct Bad {
    Words arguments;
    const char* named;
  };
  for (const Bad& bad :
       {Bad{{"identify", "a", "--against", "b", "--expect", ""}, "--expect"},
        Bad{{"identify", "a", "--against", "b", "--ref-format", ""}, "--ref-format"},
        Bad{{"identify", "", "--against", "b"}, "FILE"}, Bad{{"convert", "a", "-o", ""}, "--output"},
        Bad{{"fixtures", "generate", ""}, "DIR"}, Bad{{"fuzz", "--replay", ""}, "--replay"},
        Bad{{"verify", "--fixtures", ""}, "--fixtures"}, Bad{{"prove", ""}, "NAME"},
        Bad{{"prove", "--case", ""}, "--case"}, Bad{{"prove", "--cases", ""}, "--cases"},
        Bad{{"prove", "--smtlib", ""}, "--smtlib"}}) {
    const golden::Scratch scratch;
    expect_refused(run(bad.arguments, {kSmallMemory, {}, {}, scratch.path()}), {bad.named, "empty"});
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  }
}

TEST(Usage, refuses_coordinates_outside_the_shape) {
  struct Bad {
    const char* option;
    const char* value;
    Words words;
  };
  for (const Bad& bad :
       {Bad{"--head", "2", {"head: 2", "not below 2"}}, Bad{"--token", "16", {"token: 16", "not below 16"}},
        Bad{"--dim", "64", {"dim: 64", "not below 64"}},
        Bad{"--block", "18446744073709551615", {"block: 18446744073709551615", "64 bits"}},
        Bad{"--heads", "0", {"heads: 0"}}, Bad{"--heads", "18446744073709551615", {"heads", "2^48"}},
        Bad{"--tokens", "12", {"tokens: 12", "x = 8"}}, Bad{"--head-dim", "63", {"head_dim: 63", "x = 8"}},
        Bad{"--element-bytes", "4", {"element_bytes: 4", "1 or 2"}}, Bad{"--side", "q", {"--side", "q"}},
        Bad{"--format", "standart", {"--format", "standart", "did you mean standard"}},
        Bad{"--format", "", {"--format", "empty"}}}) {
    expect_refused(run(offset_with(bad.option, bad.value), {kSmallMemory, {}, {}, {}}), bad.words);
  }
}

TEST(Usage, prove_code_refuses_what_it_cannot_run) {
  const golden::Scratch scratch;
  const std::filesystem::path text = scratch.path() / "text.co";
  std::ofstream(text) << std::string(100, 'x');
  expect_refused(run({"prove-code", text.string()}), {text.string(), "ELF header"});
  expect_refused(run({"prove-code", (scratch.path() / "none").string()}), {"none", "cannot be read"});
  expect_refused(run({"prove-code", "--target", "gfx1100"}), {"--target", "gfx1100"});
  expect_refused(run({"prove-code", "--heads", "0"}), {"--heads", "0"});
  const std::filesystem::path pipe = scratch.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_refused(run({"prove-code", pipe.string()}), {"pipe", "is no regular file"});
  expect_refused(run({"prove-code", "--pattern", "sideways"}), {"--pattern", "sideways", "near"});
  expect_refused(run({"prove-code", "--mutants", "--shard", "3/2"}), {"--shard", "3/2"});
  expect_refused(run({"prove-code", "--shard", "1/2"}), {"--shard", "--mutants"});
}

const std::vector<Words> kCommands{
    {"convert"},
    {"check"},
    {"identify"},
    {"formats"},
    {"offset"},
    {"verify"},
    {"fuzz"},
    {"prove"},
    {"prove-code"},
    {"handshake"},
    {"handshake", "check"},
    {"handshake", "decode"},
    {"handshake", "matrix"},
    {"handshake", "states"},
    {"receive", "prove"},
    {"receive", "simulate"},
    {"receive", "check"},
    {"fixtures"},
    {"fixtures", "generate"},
    {"bench"},
    {"fixtures", "check"},
    {"bench", "convert"},
    {"bench", "plan"},
    {"results"},
    {"gonogo"},
    {"calibrate"},
    {"validate"},
    {"report"},
};

TEST(Usage, every_subcommand_has_help_with_an_example) {
  std::vector<Words> commands = kCommands;
  commands.push_back({"handshake", "fetch"});  // whose example needs an engine that runs
  commands.push_back({"bench", "gpu"});        // and a device
  for (const Words& command : commands) {
    Words arguments = command;
    arguments.push_back("--help");
    const Outcome help = run(arguments);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("Example:\n  pageproof " + command[0]), std::string::npos) << help.out;
  }
  EXPECT_EQ(run({"--help"}).exit_code, 0);
  EXPECT_TRUE(run({"--version"}).out.starts_with("pageproof "));
}

// In a folder that holds `golden` and `docs`, as the source tree does.
TEST(Usage, every_example_works_when_pasted) {
  const golden::Scratch scratch;
  std::filesystem::create_directory_symlink(std::filesystem::path(PAGEPROOF_FOREIGN).parent_path(),
                                            scratch / "golden");
  std::filesystem::create_directory_symlink(
      std::filesystem::path(PAGEPROOF_FOREIGN).parent_path().parent_path() / "docs", scratch / "docs");
  for (const Words& command : kCommands) {
    Words help = command;
    help.push_back("--help");
    std::istringstream text(run(help).out);
    for (std::string line; std::getline(text, line) && line != "Example:";) {
    }
    std::string program;
    text >> program;
    EXPECT_EQ(program, "pageproof");
    Words example{std::istream_iterator<std::string>(text), {}};
    const Outcome ran = run(example, {{}, {}, {}, scratch.path()});
    // The runs that the example judges do not pay.
    EXPECT_EQ(ran.exit_code, command[0] == "gonogo" ? 1 : 0)
        << testing::PrintToString(example) << ran.out << ran.err;
    EXPECT_NE(ran.out, "");
    example.push_back("--json");
    const Outcome json = run(example, {{}, {}, {}, scratch.path()});
    EXPECT_TRUE(nlohmann::json::accept(json.out)) << testing::PrintToString(example) << json.out;
    EXPECT_EQ(json.err, "");
  }
}

TEST(Usage, json_is_one_document_and_nothing_else) {
  EXPECT_EQ(run_json({"formats"}, 0)["command"], "formats");
  EXPECT_EQ(run_json(kOffset, 0)["byte"], 0);
  const golden::Scratch scratch;
  golden::put(scratch / "all", tensors_file(random_pool({1, 16, 64, 2}, 2).tensors()));
  EXPECT_EQ(run_json({"check", scratch / "all"}, 0)["holds"], true);
  EXPECT_EQ(run_json({"convert", scratch / "all", "-o", scratch / "out"}, 0)["path"], "converter");
  expect_refused(run({"check", scratch / "absent", "--json"}), {"absent"});
}

TEST(Usage, says_where_stdout_cannot_be_written) {
  for (const Words& arguments : {Words{"formats"}, Words{"formats", "--help"}, Words{"--version"}}) {
    expect_refused(run(arguments, {{}, {}, "/dev/full", {}}), {"stdout"});
  }
}

TEST(Usage, verify_refuses_a_folder_that_cannot_be_looked_up) {
  expect_refused(run({"verify", "golden", "--fixtures", std::string(300, 'a')}), {"--fixtures", "aaa"});
  expect_refused(run({"verify", "golden", "--fixtures", "/dev/null"}), {"--fixtures", "/dev/null"});
}

// Everything is shown; that the report could not be kept is said after it.
TEST(Usage, verify_shows_its_table_where_the_report_cannot_be_written) {
  const golden::Scratch scratch;
  golden::put(scratch / "reports", "no folder");
  const Outcome ran =
      run({"verify", "golden.is_current", "--report", "reports/verify.json"}, {{}, {}, {}, scratch.path()});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.out.find("golden.is_current"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("REFUTED"), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("reports/verify.json: output: cannot be written"), std::string::npos) << ran.err;
}

// A pipe that nobody writes to and a device that never ends, where fixtures should be.
TEST(Usage, verify_does_not_wait_for_what_is_no_file) {
  for (const bool pipe : {true, false}) {
    const golden::Scratch scratch;
    for (const char* name : {"pages_v1.json", "formats_v1.json", "handshake_v1.json", "plans_v1.json"}) {
      const std::filesystem::path suite = scratch / name;
      if (pipe) {
        ASSERT_EQ(::mkfifo(suite.c_str(), 0600), 0);
      } else {
        std::filesystem::create_symlink("/dev/zero", suite);
      }
    }
    const Outcome ran = run({"verify", "golden", "--fixtures", scratch.path()}, {kSmallMemory, {}, {}, {}});
    EXPECT_EQ(ran.exit_code, 1) << ran.err;
    EXPECT_NE(ran.out.find(" checks: 0 hold"), std::string::npos) << ran.out;
  }
}

}  // namespace
}  // namespace pageproof::cli_tests
