// Regions of the tests.
#pragma once

#include <gtest/gtest.h>

#include "kernels/plan/request.hpp"
#include "kernels/plan/wanted.hpp"

namespace pageproof::plan {

// Regions that lie one behind the other, dense.
inline Side dense(std::uint64_t base, std::size_t regions, std::uint64_t block_len, std::uint64_t num_blocks,
                  std::uint64_t device = 0) {
  Side side{{}, device};
  for (std::size_t i = 0; i < regions; ++i) {
    side.regions.push_back({.base = base + i * block_len * num_blocks,
                            .block_len = block_len,
                            .block_stride = block_len,
                            .num_blocks = num_blocks});
  }
  return side;
}

// Spec §4.6: 2 layers, 2 KV heads, N = 16, D = 8, e = 2; planes of 512 B and pages of 1024 B.
inline Side worked_planes() {
  Side side;
  for (const std::uint64_t base : {0x900000, 0x900c00, 0x901800, 0x902400})
    side.regions.push_back({.base = base, .block_len = 512, .block_stride = 512, .num_blocks = 6});
  return side;
}
inline Side worked_pages() {
  Side side;
  for (const std::uint64_t base : {0x100000, 0x101000})
    side.regions.push_back({.base = base, .block_len = 1024, .block_stride = 1024, .num_blocks = 4});
  return side;
}

inline Request request_of(const Side& local, const Side& remote, const BlockIds& to, const BlockIds& from,
                          Pages pages, const Slice& slice = {}) {
  return {.local = local,
          .memory = memory_of(local),
          .sources = {{0, remote, slice, memory_of(remote)}},
          .blocks = {{to}, {from}},
          .pages = pages};
}

inline Plan planned(const Request& request, Strategy strategy, const Staging& staging = {}) {
  auto made = plan(request, strategy, staging, {});
  EXPECT_TRUE(made.has_value()) << to_string(made.error());
  if (!made) return {};
  const auto found = check(request, *made, staging);
  EXPECT_FALSE(found.has_value()) << to_string(found->rule) << ": " << found->text;
  return *std::move(made);
}

}  // namespace pageproof::plan
