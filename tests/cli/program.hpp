// Runs `pageproof` and returns what it said.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pageproof::cli_tests {

struct Outcome {
  int exit_code = -1;  // 128 + the signal where one ended the program
  std::string out;
  std::string err;
};

struct Limits {
  std::optional<std::uint64_t> memory_bytes;  // of address space
  std::optional<std::uint64_t> file_bytes;    // of one file: stands for a full disk
  std::string out;                            // where stdout goes, such as /dev/full; empty: captured
  std::string folder = {};                    // the working directory; empty: the tests' own
};

// A program that refuses its input needs no memory to speak of.
inline constexpr std::uint64_t kSmallMemory = std::uint64_t{1} << 30;

Outcome run(const std::vector<std::string>& arguments, const Limits& limits = {});

// Runs with --json: stdout must be one document and stderr empty.
nlohmann::json run_json(std::vector<std::string> arguments, int exit_code);

// Exit 2, nothing on stdout, one line on stderr that holds all the words.
void expect_refused(const Outcome& run, const std::vector<std::string>& words);

}  // namespace pageproof::cli_tests
