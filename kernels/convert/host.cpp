// The kernel's phases as plain loops on CPU threads: a workgroup of one work-item with a stage in the cache.
// The barrier between the phases is then the order of the two calls.
#include "kernels/convert/launch.hpp"
#include "kernels/convert/units.hpp"
#include "kernels/convert/vectors.hpp"

namespace pageproof::convert {
namespace {

// In place a whole page waits in the stage, whatever its size: no head is held in registers.
constexpr Limits kHostLimits{PAGEPROOF_IN_PLACE_PAGE_BYTES, 1, 1};

// Jobs above this stream their stores around the caches.
constexpr std::uint64_t kStreamingBytes = 8 * 1024 * 1024;

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

}  // namespace

pageproof_status run_on_host(const pageproof_job& job, Direction direction) {
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;
  const Launch launch = plan_launch(job, direction, kHostLimits);
  const std::uint64_t units = std::uint64_t{launch.blocks} * launch.layers * launch.head_groups;
  const Convert convert = converter_for(launch);
  run_units(units, job.threads, direction == Direction::in_place ? launch.stage_bytes : 0,
            [&](Units mine, unsigned char* stage) { convert(launch, mine, stage); });
  return PAGEPROOF_OK;
}

}  // namespace pageproof::convert
