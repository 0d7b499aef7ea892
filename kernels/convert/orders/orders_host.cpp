// The kernel of the other orders as plain loops on CPU threads: a workgroup of one work-item, whose stage
// lies in the cache.
#include <algorithm>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "kernels/convert/orders/kernel.hpp"
#include "kernels/convert/orders/orders_launch.hpp"

namespace pageproof::convert {
namespace {

// Workgroups of the launch, numbered layer by layer, block by block, head group by head group.
struct Units {
  std::uint64_t first;
  std::uint64_t end;
};

template <class K>
void convert_units(const OrderLaunch& launch, Units units, unsigned char* stage_bytes) {
  const WorkItem alone{0, 1};
  auto* stage = reinterpret_cast<typename K::Granule*>(stage_bytes);
  for (std::uint64_t unit = units.first; unit < units.end; ++unit) {
    const auto group = static_cast<std::uint32_t>(unit % launch.head_groups);
    const auto index = static_cast<std::uint32_t>(unit / launch.head_groups % launch.blocks);
    const auto layer = static_cast<std::uint32_t>(unit / launch.head_groups / launch.blocks);
    typename K::Block block;
    if (!K::find(launch.arguments, index, group, layer, block)) continue;
    typename K::Held none;
    K::load(launch.arguments, block, alone, stage, none);
    K::store(launch.arguments, block, alone, stage, none);
  }
}

struct alignas(64) StageLine {
  unsigned char bytes[64];
};

}  // namespace

pageproof_status run_order_on_host(const pageproof_job& job, Direction direction) {
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;
  const OrderLaunch launch = plan_order_launch(job, direction, kHostOrderLimits);
  const auto convert = launch.element_bytes == 1 ? convert_units<OrderKernel<VectorTarget<false>, 1, false>>
                                                 : convert_units<OrderKernel<VectorTarget<false>, 2, false>>;
  const std::uint64_t units = std::uint64_t{launch.blocks} * launch.layers * launch.head_groups;
  const std::uint64_t threads = std::clamp<std::uint64_t>(job.threads, 1, std::min(units, kMostThreads));
  const std::size_t lines = launch.stage_bytes / sizeof(StageLine);
  // Every allocation comes before the first write: std::bad_alloc leaves the pages as they were.
  const auto stages = std::make_unique_for_overwrite<StageLine[]>(lines * threads);
  std::vector<std::jthread> helpers;
  helpers.reserve(threads - 1);
  const auto work = [&](std::uint64_t thread) {
    convert(launch, {units * thread / threads, units * (thread + 1) / threads},
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
  return PAGEPROOF_OK;
}

}  // namespace pageproof::convert
