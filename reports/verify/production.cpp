#include "reports/verify/production.hpp"

#include "kernels/convert/pageproof.h"

namespace pageproof::reports {
namespace {

// One layer of host memory.
pageproof_pool pool(const void* bytes, std::uint64_t block_stride, std::uint64_t num_blocks) {
  return {nullptr, block_stride, num_blocks, const_cast<void*>(bytes), 0};
}

Expected<void> convert(const golden::ConvertRequest& request) {
  const Shape& s = request.shape;
  pageproof_job job{};
  job.struct_bytes = sizeof job;
  job.memory = PAGEPROOF_HOST;
  job.shape = {static_cast<std::uint32_t>(s.heads), static_cast<std::uint32_t>(s.tokens),
               static_cast<std::uint32_t>(s.head_dim), static_cast<std::uint32_t>(s.element_bytes)};
  job.layers = 1;
  job.threads = 2;
  job.id_bytes = sizeof(std::int64_t);
  job.id_count = request.block_ids.size();
  job.block_ids = request.block_ids.data();
  job.standard_block_ids = request.in_place ? nullptr : request.standard_block_ids.data();
  job.standard = pool(request.standard.data(), s.page_bytes(), request.standard_num_blocks);
  job.k_plane = pool(request.k_plane.data(), s.side_bytes(), request.num_blocks);
  job.v_plane = pool(request.v_plane.data(), s.side_bytes(), request.num_blocks);
  const pageproof_status status =
      request.in_place ? pageproof_convert_in_place(&job) : pageproof_convert(&job);
  if (status == PAGEPROOF_OK) return {};
  return std::unexpected(Error{"converter", "job", to_string(s), pageproof_status_text(status)});
}

}  // namespace

golden::Convert production_converter() {
  return convert;
}

}  // namespace pageproof::reports
