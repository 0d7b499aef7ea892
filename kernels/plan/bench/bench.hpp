// How fast the planner is, beside what a connector does in Python, in one run and for the same request:
//
//   memset       as many bytes set, of ids: what memory allows
//   numpy        the broadcast expression, first_id[:, None] + blocks[None, :], and its like for rows
//   numpy out=   the same into a buffer that is there, where numpy can
//   python       loops over regions and blocks
//
// What Python made is compared with ours by a checksum before anything is timed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::plan::bench {

inline constexpr std::uint32_t kMostLayers = 4096;
inline constexpr std::uint64_t kMostDescriptors = std::uint64_t{1} << 23;  // Python keeps a list of them
inline constexpr std::uint32_t kMostRepetitions = 1'000'000;

struct Options {
  std::uint32_t layers = 36;           // 1 to kMostLayers; a K and a V plane each: 2 regions a layer
  std::uint64_t blocks = 1400;         // of the request; regions · blocks is at most kMostDescriptors
  std::uint64_t pool_blocks = 14'000;  // of the pool whose rows are written out, not below blocks
  std::uint64_t pair_blocks = 90'300;  // of the pair of engines that is prepared
  std::uint32_t repetitions = 9;       // 1 to kMostRepetitions
  std::string python_script;           // baseline.py; empty: no Python
  std::vector<std::string> pythons{"python3", "/usr/bin/python3"};  // the first that has numpy
};

struct Row {
  std::string name;
  std::uint64_t descriptors = 0;
  double seconds = 0;
  std::optional<double> memset_seconds;      // of as many bytes; ids alone
  std::optional<double> numpy_seconds;       // for as many descriptors
  std::optional<double> numpy_into_seconds;  // with out=; ids alone
  std::optional<double> python_seconds;      // the same; of the pair, from a 32nd part of it
};

struct Result {
  std::vector<Row> rows;
  std::uint64_t pair_bytes = 0;  // allocated and held by the prepared pair
  std::string python;            // "3.11.2, numpy 1.24.2", or why a column is empty
};

// Prints nothing. An Error where an option is out of its range, memory is not to be had, or Python makes
// other ids or rows than we do.
Expected<Result> run_plan_benchmark(const Options& options);

}  // namespace pageproof::plan::bench
