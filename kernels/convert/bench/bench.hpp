// How fast the CPU converter is, as a share of what memcpy does with the same bytes in the same run.
//
//   auto rows = bench::run_convert_benchmark({.bytes = 1ull << 30, .threads = {1, 2}});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/convert/pageproof.h"
#include "model/page/plain/error.hpp"

namespace pageproof::convert::bench {

inline constexpr std::uint64_t kMostBytes = 1ull << 40;
inline constexpr std::uint32_t kMostRepetitions = 1'000'000;

struct Options {
  std::uint64_t bytes = 1ull << 30;  // of standard pages, up to kMostBytes; as much again for the planes
  std::vector<std::uint32_t> threads{1, 2};
  std::uint32_t repetitions = 9;  // 1 to kMostRepetitions
  // Qwen3-8B in bf16 and fp8 with pages of 16 tokens, and pages of 32.
  std::vector<pageproof_shape> shapes{{8, 16, 128, 2}, {8, 16, 128, 1}, {8, 32, 128, 2}, {8, 32, 128, 1}};
};

// Rates are page bytes a second (each is read once and written once), medians over the repetitions. The
// repetitions of all rows and of memcpy take turns in random order, so that a slow minute hits all alike.
struct Row {
  std::string name;  // "out of place", "in place"
  pageproof_shape shape;
  std::uint64_t bytes;  // converted: whole pages, at most Options::bytes
  std::uint32_t threads;
  double converter_gb_per_s;
  double memcpy_gb_per_s;  // the same bytes, the same number of threads
  double ratio;            // converter / memcpy
};

// Prints nothing. An Error where an option is out of its range, the memory is not to be had, a shape is
// outside the converter's scope, or bytes hold no page of it.
Expected<std::vector<Row>> run_convert_benchmark(const Options& options);

}  // namespace pageproof::convert::bench
