// One conversion over two arenas (the standard pages; K planes, then V planes), in host memory or, byte for
// byte the same, on an AMD device.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/convert/amd/device.hpp"
#include "kernels/convert/pageproof.h"
#include "model/page/plain/error.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::reports {

struct ArenaPlan {
  Shape shape;
  bool in_place = false;
  std::uint32_t layers = 1;
  std::uint64_t plane_blocks = 1;  // num_blocks of each plane, and of the standard pool
  std::uint64_t standard_blocks = 1;
  std::uint64_t padding_bytes = 0;  // after each block, a multiple of 16
  std::vector<std::int64_t> block_ids;
  std::vector<std::int64_t> standard_block_ids;  // empty in place
  std::uint32_t id_bytes = 8;

  std::uint64_t plane_stride() const { return shape.side_bytes() + padding_bytes; }
  std::uint64_t standard_stride() const { return shape.page_bytes() + padding_bytes; }
  std::uint64_t planes_bytes() const { return 2 * layers * plane_blocks * plane_stride(); }
  std::uint64_t standard_bytes() const { return in_place ? 0 : layers * standard_blocks * standard_stride(); }

  // The ids of both lists as the job reads them, the planes' first.
  std::vector<std::byte> ids() const;
  pageproof_job job(unsigned char* standard, unsigned char* planes, const unsigned char* ids) const;
};

// The arenas as they are before, replaced by what they hold after. An Error is a refusal: nothing was
// written.
Expected<void> run_on_host(const ArenaPlan& plan, std::vector<std::byte>& standard,
                           std::vector<std::byte>& planes);
Expected<void> run_on_device(const convert::AmdDevice& device, const ArenaPlan& plan,
                             std::vector<std::byte>& standard, std::vector<std::byte>& planes);

// The job's conversion on the device's stream, enqueued. An Error is the library's refusal, in its words.
Expected<void> enqueue(const convert::AmdDevice& device, pageproof_job job, bool in_place);

}  // namespace pageproof::reports
