// Reads result files of benchmarks as their tools write them, folders of them, and what lies beside them. A
// file that cannot be used is one Error; the others are still read.
//
//   read_results({"results/"}, Mapping{}, ReadOptions{})
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"
#include "reports/results/mapping.hpp"
#include "reports/results/run.hpp"

namespace pageproof::results {

struct ReadOptions {
  double failed_ratio = 0;                // share of the prompts that may fail before a run is invalid
  double output_tolerance = 0.005;        // of total_output_tokens against completed x osl
  double input_tolerance = 0.01;          // of total_input_tokens against completed x isl
  std::uint64_t most_bytes = 4ULL << 30;  // of a file
  std::uint64_t most_files = 100'000;
  std::optional<Objectives> objectives = {};  // of Run::goodput; nullopt: none is computed
  bool keep_arrays = true;  // false: Run::detailed is dropped once all that is drawn from it here is drawn
};

inline constexpr std::size_t kMostRuns = 20'000;  // of one file
inline constexpr std::size_t kMostRefused =
    8;  // lines about one file, before one says that the rest is not read

struct Results {
  std::vector<Run> runs = {};        // by path, then by place in the file; the invalid ones among them
  std::vector<Error> refused = {};   // a file, or an object of a file, that is no result
  std::vector<Error> left_out = {};  // known, and on purpose not a run: a warm-up, a summary, a trace
};

// A file's content that lies in memory.
struct NamedText {
  std::string path = {};
  std::string_view text = {};
};
Results read_texts(std::span<const NamedText> texts, const Mapping& mapping, const ReadOptions& options);

// Files in the order of their paths; of a folder all *.json, *.jsonl, *.log and *.txt in it and below it.
Results read_results(const std::vector<std::string>& paths, const Mapping& mapping,
                     const ReadOptions& options);

}  // namespace pageproof::results
