// `pageproof receive` as a person runs it: what a log may hold, and what may be asked of the simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::cli_tests {
namespace {

const std::string kSetting = R"({"time":0,"event":"setting","layers":1,"blocks":8})"
                             "\n";
const std::string kRead = R"({"time":1,"event":"allocate","request":"7","blocks":[3]}
{"time":2,"event":"post","request":"7","handle":0,"blocks":[3]}
{"time":3,"event":"read_done","request":"7","handle":0}
)";

Outcome check(const std::string& log, const std::vector<std::string>& more = {}) {
  const golden::Scratch scratch;
  golden::put(scratch / "log", log);
  std::vector<std::string> arguments{"receive", "check", "log"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments, {kSmallMemory, {}, {}, scratch.path()});
}

TEST(Receive, a_log_that_is_none_is_refused_in_one_line) {
  struct Bad {
    std::string log;
    std::vector<std::string> words;
  };
  for (const Bad& bad : {Bad{"", {"log: no event"}}, Bad{"\n \n", {"no event"}},
                         Bad{std::string("\0\n", 2), {"line 1", "NUL"}},
                         Bad{"\x7f"
                             "ELF\n",
                             {"line 1"}},
                         Bad{"[]\n", {"line 1", "no JSON object"}}, Bad{"{\"time", {"line 1", "no end"}},
                         Bad{std::string(1000000, '[') + "\n", {"line 1", "nested deeper"}},
                         Bad{std::string((1 << 24) + 1, ' ') + "1\n", {"line 1", "2^24"}},
                         Bad{"{\"event\":\"\xff\"}\n", {"line 1", "\\xff"}},
                         Bad{R"({"time":0,"event":"setting","layers":0,"blocks":8})"
                             "\n",
                             {"line 1", "layers: 0"}},
                         Bad{R"({"time":0,"event":"setting","layers":1,"blocks":8,"workers":99999999999})"
                             "\n",
                             {"line 1", "workers: 99999999999: not 0 to 64"}}}) {
    expect_refused(check(bad.log), bad.words);
  }
}

TEST(Receive, each_bad_line_is_named) {
  struct Bad {
    const char* line;
    const char* said;
  };
  std::string log = kSetting + kRead;
  const std::vector<Bad> bad{
      {R"({"time":3,"event":"free","request":"8"})", "request: 8: was never allocated"},
      {R"({"time":3,"event":"pots"})", "event: pots: no such event"},
      {R"({"time":2,"event":"fence"})", "time: 2: before 3, time goes backwards"},
      {R"({"time":-1,"event":"fence"})", "time: -1: not a whole number"},
      {R"({"time":18446744073709551616,"event":"fence"})", "not a whole number"},
      {R"({"time":1e999,"event":"fence"})", "1e999"},
      {R"({"time":3,"time":3,"event":"fence"})", "the key appears twice"},
      {R"({"time":3,"event":"allocate","request":"9","blocks":[8]})", "blocks: 8: beyond the pool"},
      {R"({"time":3,"event":"allocate","request":"10","blocks":[1,1]})", "blocks: 1: listed twice"},
      {R"({"time":3,"event":"allocate","request":"11","blocks":{}})", "blocks: {}: no list"},
      {R"({"time":3,"event":"allocate","request":null,"blocks":[1]})", "request: null: no text"},
      {R"({"time":3,"event":"wait","name":"x","stream":"s"})", "name: x: no event of this name"},
      {R"({"time":3,"event":"setting","layers":2,"blocks":8})", "setting: stands in the first line only"},
  };
  for (const Bad& one : bad) log += std::string(one.line) + "\n";
  const Outcome outcome = check(log);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(outcome.out.starts_with("PARTLY")) << outcome.out;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), static_cast<std::ptrdiff_t>(bad.size())) << outcome.err;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    EXPECT_NE(outcome.err.find("pageproof: log: line " + std::to_string(i + 5) + ": "), std::string::npos);
    EXPECT_NE(outcome.err.find(bad[i].said), std::string::npos) << bad[i].said << "\n" << outcome.err;
  }
  const Outcome document_run = check(log, {"--json"});
  EXPECT_EQ(document_run.exit_code, 2);
  const nlohmann::json document = nlohmann::json::parse(document_run.out);
  EXPECT_EQ(document["refused_lines"], bad.size());
  EXPECT_EQ(document["holds"], false);
}

// What is broken beside a bad line, or before a cut end, is said all the same.
TEST(Receive, the_rest_of_a_damaged_log_is_checked) {
  const std::string step = R"({"time":4,"event":"schedule","request":"7","stream":"main"})"
                           "\n";
  for (const std::string& log :
       {kSetting + kRead + step + "{\"time\":9,\"eve", kSetting + "?\n" + kRead + step}) {
    const Outcome outcome = check(log);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(outcome.out.starts_with("REFUTED   receive.unconverted_scheduled")) << outcome.out;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(check(kSetting + kRead + step).exit_code, 1);
  std::string noise = kSetting + kRead;
  for (int i = 0; i < 100'000; ++i) noise += "noise\n";
  const Outcome outcome = check(noise);
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 21) << outcome.err;
  EXPECT_NE(outcome.err.find("100000: refused, 99980 more"), std::string::npos) << outcome.err;
}

TEST(Receive, a_log_may_come_through_a_pipe_but_from_no_device) {
  const golden::Scratch scratch;
  for (const char* path : {"/dev/zero", "/dev/null", "/", "absent"}) {
    expect_refused(run({"receive", "check", path}, {kSmallMemory, {}, {}, scratch.path()}),
                   {path, "cannot be read"});
  }
}

// The page's logs are the files, and under each command stands what the program says.
TEST(Receive, the_page_shows_what_is_said) {
  const std::filesystem::path root = std::filesystem::path(PAGEPROOF_FOREIGN).parent_path().parent_path();
  const Limits here{{}, {}, {}, root};
  std::istringstream page(golden::contents(root / "docs" / "receive.md"));
  int compared = 0;
  std::string line;
  for (std::getline(page, line); page;) {
    const bool check_of_file = line.starts_with("    $ pageproof receive check ");
    const bool file = line.starts_with("    $ cat ");
    const std::string path = line.substr(std::min(line.size(), line.rfind(' ') + 1));
    std::string shown;
    while (std::getline(page, line) && line.starts_with("    ") && !line.starts_with("    $")) {
      shown += line.substr(4) + "\n";
    }
    if (!check_of_file && !file) continue;
    EXPECT_EQ(shown, file ? golden::contents(root / path) : run({"receive", "check", path}, here).out)
        << path;
    ++compared;
  }
  EXPECT_EQ(compared, 8);
  EXPECT_EQ(run({"receive", "check", "docs/receive/pull.jsonl"}, here).exit_code, 0);
}

// An abort that is right by the clock alone.
TEST(Receive, merged_by_clock_an_order_seems_to_be) {
  const std::filesystem::path root = std::filesystem::path(PAGEPROOF_FOREIGN).parent_path().parent_path();
  std::string log = golden::contents(root / "docs" / "receive" / "two_processes_abort.jsonl");
  EXPECT_EQ(check(log).exit_code, 1);
  for (const std::string thread : {R"("thread":"scheduler",)", R"("thread":"worker",)"}) {
    for (std::size_t at = log.find(thread); at != std::string::npos; at = log.find(thread)) {
      log.erase(at, thread.size());
    }
  }
  EXPECT_EQ(check(log).exit_code, 0);
}

// A setting alone, or a log of events and messages: nothing was judged.
TEST(Receive, a_log_without_a_request_is_empty) {
  for (const std::string& log : {kSetting, kSetting + R"({"time":1,"event":"send","name":"step 1"})"
                                                      "\n"}) {
    const Outcome outcome = check(log);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(outcome.out.starts_with("EMPTY     log: ")) << outcome.out;
    EXPECT_EQ(outcome.err, "");
    const nlohmann::json document = nlohmann::json::parse(check(log, {"--json"}).out);
    EXPECT_EQ(document["empty"], true);
    EXPECT_EQ(document["holds"], false);
  }
}

// The freed request's READ still ends, and its worker reports: the log is refuted, and no line of it is bad.
TEST(Receive, what_follows_a_broken_rule_is_no_bad_line) {
  const Outcome outcome = check(kSetting + R"({"time":1,"event":"allocate","request":"7","blocks":[3]}
{"time":2,"event":"post","request":"7","handle":0,"blocks":[3]}
{"time":3,"event":"free","request":"7"}
{"time":4,"event":"read_done","request":"7","handle":0}
{"time":5,"event":"report","request":"7","ok":true}
)");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(outcome.out.starts_with("REFUTED   receive.freed_while_touched")) << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

// A leak is no broken rule; a line behind the verdict says it.
TEST(Receive, what_is_left_open_is_said) {
  const Outcome outcome = check(kSetting + R"({"time":1,"event":"allocate","request":"7","blocks":[3]})"
                                           "\n");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("\nOpen      requests never freed: 1 (the first: line 2)\n"), std::string::npos)
      << outcome.out;
}

TEST(Receive, options_that_mean_nothing_are_refused) {
  struct Bad {
    std::vector<std::string> options;
    std::vector<std::string> words;
  };
  for (const Bad& bad :
       {Bad{{"--requests", "0"}, {"--requests", "0"}},
        Bad{{"--requests", "1000001"}, {"--requests", "1000001"}},
        Bad{{"--requests", "-1"}, {"--requests", "-1"}}, Bad{{"--layers", "0"}, {"--layers"}},
        Bad{{"--layers", "65"}, {"--layers", "65"}}, Bad{{"--seconds", "-1"}, {"--seconds"}},
        Bad{{"--seconds", "nan"}, {"--seconds", "nan"}}, Bad{{"--seconds", "inf"}, {"--seconds", "inf"}},
        Bad{{"--shard", "3/2"}, {"--shard", "3/2"}},
        Bad{{"--faults", "nope"}, {"--faults", "nope", "read_error"}},
        Bad{{"--faults", "all,none"}, {"--faults", "all"}}, Bad{{"--mutant", "nope"}, {"--mutant", "nope"}},
        Bad{{"--mutant", "all", "--trace", "t"}, {"--trace", "--mutant"}},
        Bad{{"--merge", "a", "--log", "l"}, {"--log", "--merge"}},
        Bad{{"--trace", "t", "--log", "t"}, {"--log", "t"}}, Bad{{"--trace", "none/t"}, {"none/t"}},
        Bad{{"--log", "/"}, {"/"}}, Bad{{"--resume", "absent"}, {"absent"}},
        Bad{{"--merge", "absent"}, {"absent"}}}) {
    const golden::Scratch scratch;
    std::vector<std::string> arguments{"receive", "simulate"};
    arguments.insert(arguments.end(), bad.options.begin(), bad.options.end());
    expect_refused(run(arguments, {kSmallMemory, {}, {}, scratch.path()}), bad.words);
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  }
  expect_refused(run({"receive", "prove", "nope"}), {"nope", "neither an obligation nor a guard"});
  expect_refused(run({"receive", "prove", "--seed", "4294967296"}), {"--seed", "4294967296"});
  expect_refused(run({"receive", "check"}), {"FILE", "required"});
}

// What is gone on with or put together is of one kind: the line names file, field and both values.
TEST(Receive, reports_of_other_runs_are_refused) {
  const golden::Scratch scratch;
  const Limits here{{}, {}, {}, scratch.path()};
  const auto simulate = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"receive", "simulate", "--requests", "20", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, here);
  };
  golden::put(scratch / "one", simulate({"--shard", "1/2"}).out);
  golden::put(scratch / "two", simulate({"--shard", "2/2"}).out);
  golden::put(scratch / "step", simulate({"--shard", "2/2", "--convert", "step"}).out);
  EXPECT_EQ(run({"receive", "simulate", "--merge", "one", "--merge", "two"}, here).exit_code, 0);
  expect_refused(run({"receive", "simulate", "--merge", "one", "--merge", "one"}, here),
                 {"one", "shard", "round 0"});
  expect_refused(run({"receive", "simulate", "--merge", "one", "--merge", "step"}, here),
                 {"step: convert: step: not side"});
  EXPECT_EQ(simulate({"--shard", "1/2", "--resume", "one"}).exit_code, 0);
  struct Bad {
    std::vector<std::string> options;
    const char* said;
  };
  for (const Bad& bad :
       {Bad{{"--seed", "2"}, "one: seed: 1: not 2"}, Bad{{"--shard", "2/2"}, "one: shard: 1/2: not 2/2"},
        Bad{{"--layers", "3"}, "one: layers: 2: not 3"},
        Bad{{"--order", "after"}, "one: order: before: not after"},
        Bad{{"--no-bytes"}, "one: bytes: yes: not no"},
        Bad{{"--faults", "abort"}, "one: faults: all: not abort"},
        Bad{{"--requests", "21"}, "one: requests: 20: not 21"}}) {
    std::vector<std::string> options{"--resume", "one"};
    if (bad.options[0] != "--shard") options.insert(options.end(), {"--shard", "1/2"});
    options.insert(options.end(), bad.options.begin(), bad.options.end());
    if (bad.options[0] == "--requests") {
      options.insert(options.begin(), {"receive", "simulate"});
      expect_refused(run(options, here), {bad.said});
    } else {
      expect_refused(simulate(options), {bad.said});
    }
  }
}

// What the simulation writes, the checker takes; a shard writes the round that it runs.
TEST(Receive, a_simulated_run_is_a_log) {
  const golden::Scratch scratch;
  const Limits here{{}, {}, {}, scratch.path()};
  for (const char* shard : {"1/1", "2/3"}) {
    const Outcome made = run(
        {"receive", "simulate", "--requests", "100", "--shard", shard, "--log", "log", "--trace", "trace"},
        here);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(run({"receive", "check", "log"}, here).exit_code, 0);
    EXPECT_TRUE(nlohmann::json::accept(golden::contents(scratch / "trace")));
    std::filesystem::rename(scratch / "log", scratch / std::string(1, shard[0]));
  }
  EXPECT_NE(golden::contents(scratch / "1"), golden::contents(scratch / "2"));
}

}  // namespace
}  // namespace pageproof::cli_tests
