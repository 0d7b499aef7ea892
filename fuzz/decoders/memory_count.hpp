// Live bytes and their peak, for whoever is told of allocations. Inner part of memory.hpp.
#pragma once

#include <algorithm>
#include <cstddef>

namespace pageproof::fuzz::memory {

struct Count {
  std::size_t live = 0;
  std::size_t peak = 0;

  void taken(std::size_t bytes) {
    live += bytes;
    peak = std::max(peak, live);
  }
  void returned(std::size_t bytes) { live -= std::min(live, bytes); }
};

inline thread_local Count count;

}  // namespace pageproof::fuzz::memory
