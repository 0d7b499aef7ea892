// The kernel of the other orders as plain loops on CPU threads: a workgroup of one work-item, whose stage
// lies in the cache.
#include "kernels/convert/orders/kernel.hpp"
#include "kernels/convert/orders/orders_launch.hpp"
#include "kernels/convert/units.hpp"

namespace pageproof::convert {
namespace {

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

}  // namespace

pageproof_status run_order_on_host(const pageproof_job& job, Direction direction) {
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;
  const OrderLaunch launch = plan_order_launch(job, direction, kHostOrderLimits);
  const auto convert = launch.element_bytes == 1 ? convert_units<OrderKernel<VectorTarget<false>, 1, false>>
                                                 : convert_units<OrderKernel<VectorTarget<false>, 2, false>>;
  const std::uint64_t units = std::uint64_t{launch.blocks} * launch.layers * launch.head_groups;
  run_units(units, job.threads, launch.stage_bytes,
            [&](Units mine, unsigned char* stage) { convert(launch, mine, stage); });
  return PAGEPROOF_OK;
}

}  // namespace pageproof::convert
