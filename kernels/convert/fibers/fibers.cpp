#include "kernels/convert/fibers/fibers.hpp"

namespace pageproof::convert {

pageproof_status convert_on_fibers(const pageproof_job& job, Direction direction, std::uint64_t seed,
                                   const Limits& limits) {
  if (const auto status = check_arguments(&job, direction)) return status;
  if (job.memory != PAGEPROOF_HOST) return PAGEPROOF_UNKNOWN_MEMORY;
  if (const auto status = check_memory(job, direction)) return status;
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;
  const std::uint64_t page_bytes =
      with_geometry(job.shape, [&]<class G>(G) { return std::uint64_t{G::kHeadBytes} * job.shape.heads; });
  if (direction == Direction::in_place && page_bytes > limits.page_bytes()) return PAGEPROOF_PAGE_TOO_LARGE;
  fibers::run_launch<fibers::FiberItem>(plan_launch(job, direction, limits), seed);
  return PAGEPROOF_OK;
}

}  // namespace pageproof::convert
