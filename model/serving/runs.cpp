#include "model/serving/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "model/serving/refusal.hpp"

namespace pageproof::serving {
namespace {

void fill(CellRun& row, const Cell& cell, const Noise& noise) {
  const SimulationOptions options{.seed = row.seed, .noise = noise};
  const auto run = cell.time != nullptr
                       ? simulate(cell.deployment, cell.setup, *cell.time, cell.load, options)
                       : simulate(cell.deployment, cell.setup, cell.load, options);
  if (run) {
    row.summary = summarize(*run, cell.objectives, cell.deployment.prefill_servers);
  } else {
    row.error = run.error();
  }
}

}  // namespace

Expected<std::vector<CellRun>> run_cells(std::span<const Cell> cells, const RunsOptions& options) {
  if (options.shards == 0 || options.shard == 0 || options.shard > options.shards) {
    return refuse("shard", "", fmt::format("{}/{}", options.shard, options.shards),
                  "not k/n with 1 <= k <= n");
  }
  if (options.threads == 0 || options.threads > kMostRunThreads) {
    return refuse("threads", "", std::to_string(options.threads),
                  fmt::format("not 1 to {}", kMostRunThreads));
  }
  std::uint64_t all = 0;
  if (__builtin_mul_overflow(cells.size(), options.seeds, &all) || all == 0 ||
      all / options.shards > kMostRuns) {
    return refuse("runs", "cells x seeds", fmt::format("{} x {}", cells.size(), options.seeds),
                  fmt::format("not 1 to {} a shard", kMostRuns));
  }
  std::vector<CellRun> rows;
  for (std::uint64_t i = options.shard - 1; i < all; i += options.shards) {
    rows.push_back({.cell = i / options.seeds, .seed = options.first_seed + i % options.seeds});
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stopped = false;
  std::mutex progress_lock;
  std::size_t done = 0;
  const auto work = [&] {
    while (!stopped) {
      const std::size_t i = next++;
      if (i >= rows.size()) return;
      fill(rows[i], cells[rows[i].cell], options.noise);
      const std::scoped_lock lock(progress_lock);
      ++done;
      if (options.progress && !options.progress(done, rows.size())) stopped = true;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::uint32_t i = 1; i < std::min<std::size_t>(options.threads, rows.size()); ++i)
      others.emplace_back(work);
    work();
  }
  std::erase_if(rows, [](const CellRun& row) { return !row.summary && !row.error; });
  return rows;
}

}  // namespace pageproof::serving
