// Many runs: every cell under every seed, on some threads, or one shard of them. A run depends on its cell
// and its seed alone, so the answer is the same whatever the threads, and shards put together are the whole.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/serving/summary.hpp"

namespace pageproof::serving {

inline constexpr std::uint64_t kMostRuns = 10'000'000;  // of a shard
inline constexpr std::uint32_t kMostRunThreads = 256;

struct Cell {
  Deployment deployment;
  Setup setup;
  Load load;
  Objectives objectives = {};
  const StepTime* time = nullptr;  // null: the parametric one
};

struct RunsOptions {
  std::uint64_t first_seed = 1;  // seeds first_seed, first_seed + 1, ...
  std::uint64_t seeds = 1;
  Noise noise = {};
  std::uint64_t shard = 1;  // of `shards`: every shards-th run, from the shard-th
  std::uint64_t shards = 1;
  std::uint32_t threads = 1;
  // Called now and then, by one thread at a time. Answers false to stop: the runs so far are given back.
  std::function<bool(std::uint64_t done, std::uint64_t of)> progress = {};
};

struct CellRun {
  std::size_t cell = 0;
  std::uint64_t seed = 0;
  std::optional<Summary> summary = std::nullopt;  // nothing: `error` says why
  std::optional<Error> error = std::nullopt;
};

// In order of cell, then of seed. A cell that cannot run is in its rows, and does not stop the others.
// Refused: no runs, more than kMostRuns, a shard that is none of them, threads out of range.
Expected<std::vector<CellRun>> run_cells(std::span<const Cell> cells, const RunsOptions& options);

}  // namespace pageproof::serving
