// The kernel's phases as plain loops on CPU threads: a workgroup of one work-item with a stage in the cache.
// The barrier between the phases is then the order of the two calls.
#include <algorithm>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "kernels/convert/launch.hpp"
#include "kernels/convert/vectors.hpp"

namespace pageproof::convert {
namespace {

// In place a whole page waits in the stage, whatever its size: no head is held in registers.
constexpr Limits kHostLimits{PAGEPROOF_IN_PLACE_PAGE_BYTES, 1, 1};

// Jobs above this stream their stores around the caches.
constexpr std::uint64_t kStreamingBytes = 8 * 1024 * 1024;

// One workgroup of the launch, numbered layer by layer, block by block, head group by head group.
struct Units {
  std::uint64_t first;
  std::uint64_t end;
};

template <class K>
void convert_units(const Launch& launch, Units units, unsigned char* stage_bytes) {
  const Arguments& job = launch.arguments;
  const WorkItem alone{0, 1};
  auto* stage = reinterpret_cast<typename K::Granule*>(stage_bytes);
  for (std::uint64_t unit = units.first; unit < units.end; ++unit) {
    const auto group = static_cast<std::uint32_t>(unit % launch.head_groups);
    const auto block = static_cast<std::uint32_t>(unit / launch.head_groups % launch.blocks);
    const auto layer = static_cast<std::uint32_t>(unit / launch.head_groups / launch.blocks);
    Place place;
    if (!locate<K::kInPlace>(job, block, layer, K::side_bytes(job.heads), place)) continue;
    const Heads mine = K::heads_of(job, group);
    if constexpr (K::kInPlace) {
      typename K::Held none;
      K::load(place, job.heads, mine, alone, stage, none);
      K::store(place, mine, alone, stage);
    } else {
      K::move(place, job.heads, mine, alone);
    }
  }
  K::Target::finish();
}

using Convert = void (*)(const Launch&, Units, unsigned char*);

Convert converter_for(const Launch& launch) {
  const std::uint64_t page_bytes = with_geometry(
      launch.shape, [&]<class G>(G) { return std::uint64_t{G::kHeadBytes} * launch.shape.heads; });
  const bool streaming = page_bytes * launch.blocks * launch.layers > kStreamingBytes;
  return with_geometry(launch.shape, [&]<class G>(G) -> Convert {
    if (launch.mode == Mode::in_place_staged) {
      return convert_units<Kernel<G, VectorTarget<false>, Mode::in_place_staged>>;
    }
    return streaming ? convert_units<Kernel<G, VectorTarget<true>, Mode::out_of_place>>
                     : convert_units<Kernel<G, VectorTarget<false>, Mode::out_of_place>>;
  });
}

// A stage is whole lines: every head is (Geometry::kHeadBytes is 2 KiB at least).
struct alignas(64) StageLine {
  unsigned char bytes[64];
};

}  // namespace

pageproof_status run_on_host(const pageproof_job& job, Direction direction) {
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;
  const Launch launch = plan_launch(job, direction, kHostLimits);
  const std::uint64_t units = std::uint64_t{launch.blocks} * launch.layers * launch.head_groups;
  const std::uint64_t threads = std::clamp<std::uint64_t>(job.threads, 1, std::min(units, kMostThreads));
  const std::size_t lines = direction == Direction::in_place ? launch.stage_bytes / sizeof(StageLine) : 0;
  // Every allocation comes before the first write: std::bad_alloc leaves the pages as they were.
  const auto stages = std::make_unique_for_overwrite<StageLine[]>(lines * threads);
  std::vector<std::jthread> helpers;
  helpers.reserve(threads - 1);

  const Convert convert = converter_for(launch);
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
