// A launch on CPU threads: its workgroups in a row, cut into as many runs as there are threads, each with a
// stage of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "kernels/convert/pageproof.h"

namespace pageproof::convert {

// More threads than this are not started, whatever the job asks for.
inline constexpr std::uint64_t kMostThreads = 1024;

// Workgroups of the launch, numbered layer by layer, block by block, head group by head group.
struct Units {
  std::uint64_t first;
  std::uint64_t end;
};

// Calls convert(units, stage) for all units of the launch and returns when they are done. Stages begin on a
// cache line. std::bad_alloc comes before the first call: the pages are as they were.
template <class Convert>
void run_units(std::uint64_t units, std::uint64_t asked_threads, std::size_t stage_bytes,
               const Convert& convert) {
  struct alignas(64) StageLine {
    unsigned char bytes[64];
  };
  const std::uint64_t threads = std::clamp<std::uint64_t>(asked_threads, 1, std::min(units, kMostThreads));
  // A stage is whole lines: every head is (Geometry::kHeadBytes is 2 KiB at least).
  const std::size_t lines = stage_bytes / sizeof(StageLine);
  const auto stages = std::make_unique_for_overwrite<StageLine[]>(lines * threads);
  std::vector<std::jthread> helpers;
  helpers.reserve(threads - 1);
  const auto work = [&](std::uint64_t thread) {
    convert(Units{units * thread / threads, units * (thread + 1) / threads},
            reinterpret_cast<unsigned char*>(stages.get() + lines * thread));
  };
  std::uint64_t started = 1;
  try {
    for (; started < threads; ++started) helpers.emplace_back(work, started);
  } catch (const std::system_error&) {
    // No more threads to be had: this one does what is left.
  }
  work(0);
  for (; started < threads; ++started) work(started);
}

}  // namespace pageproof::convert
