// The converter that ships, through its C ABI, against the committed fixtures.
#include <gtest/gtest.h>

#include "golden/pages/check.hpp"
#include "kernels/convert/pageproof.h"

namespace pageproof::golden {
namespace {

pageproof_pool pool_at(void* const* base, std::uint64_t block_bytes, std::uint64_t num_blocks) {
  return {.layer_bases = base, .block_stride = block_bytes, .num_blocks = num_blocks};
}

Expected<void> shipped_converter(const ConvertRequest& request) {
  void* standard = const_cast<std::byte*>(request.standard.data());
  void* key = request.k_plane.data();
  void* value = request.v_plane.data();
  const Shape& s = request.shape;
  pageproof_job job{};
  job.struct_bytes = sizeof(job);
  job.memory = PAGEPROOF_HOST;
  job.shape = {static_cast<std::uint32_t>(s.heads), static_cast<std::uint32_t>(s.tokens),
               static_cast<std::uint32_t>(s.head_dim), static_cast<std::uint32_t>(s.element_bytes)};
  job.layers = 1;
  job.id_bytes = 8;
  job.id_count = request.block_ids.size();
  job.block_ids = request.block_ids.data();
  job.standard_block_ids = request.standard_block_ids.data();
  job.standard = pool_at(&standard, s.page_bytes(), request.standard_num_blocks);
  job.k_plane = pool_at(&key, s.side_bytes(), request.num_blocks);
  job.v_plane = pool_at(&value, s.side_bytes(), request.num_blocks);
  job.threads = 2;
  const pageproof_status status =
      request.in_place ? pageproof_convert_in_place(&job) : pageproof_convert(&job);
  if (status == PAGEPROOF_OK) return {};
  return std::unexpected(Error{"converter", "", "", pageproof_status_text(status)});
}

TEST(ConverterMatchesGolden, OnEveryTest) {
  const auto report = check_fixtures(PAGEPROOF_GOLDEN, shipped_converter);
  ASSERT_TRUE(report.has_value()) << to_string(report.error());
  for (const Failure& failure : report->failures) ADD_FAILURE() << to_string(failure);
  EXPECT_TRUE(report->holds());
}

}  // namespace
}  // namespace pageproof::golden
