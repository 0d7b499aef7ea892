#include "reports/verify/production.hpp"

#include "kernels/convert/pageproof.h"

namespace pageproof::reports {
namespace {

// One layer of host memory.
struct Pool {
  void* base;
  pageproof_pool pool;

  Pool(const void* bytes, std::uint64_t block_stride, std::uint64_t num_blocks)
      : base(const_cast<void*>(bytes)), pool{&base, block_stride, num_blocks} {}
  Pool(const Pool&) = delete;
};

Expected<void> convert(const golden::ConvertRequest& request) {
  const Shape& s = request.shape;
  const Pool standard(request.standard.data(), s.page_bytes(), request.standard_num_blocks);
  const Pool keys(request.k_plane.data(), s.side_bytes(), request.num_blocks);
  const Pool values(request.v_plane.data(), s.side_bytes(), request.num_blocks);
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
  job.standard = standard.pool;
  job.k_plane = keys.pool;
  job.v_plane = values.pool;
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
