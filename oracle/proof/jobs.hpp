// Runs jobs that share nothing, each once, on a number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <vector>

namespace pageproof::proof {

inline void run_jobs(std::span<const std::function<void()>> jobs, std::uint32_t threads) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) jobs[i]();
  };
  std::vector<std::jthread> others;
  for (std::uint32_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
}

}  // namespace pageproof::proof
