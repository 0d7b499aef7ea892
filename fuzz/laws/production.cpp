#include <array>

#include "fuzz/laws/converter.hpp"
#include "kernels/convert/pageproof.h"

namespace pageproof::fuzz {
namespace {

// The tables of a job, kept alive for one call.
struct Tables {
  std::vector<void*> bases;
  std::vector<std::int32_t> narrow;

  explicit Tables(const Pool& pool) : bases(pool.layers.begin(), pool.layers.end()) {}
  pageproof_pool pool(const Pool& of) const {
    return {bases.data(), of.block_stride, of.num_blocks, nullptr, 0};
  }
};

const void* ids_of(const ConvertJob& job, const std::vector<std::int64_t>& ids, Tables& tables) {
  if (job.id_bytes == 8) return ids.data();
  for (const std::int64_t id : ids) tables.narrow.push_back(static_cast<std::int32_t>(id));
  return tables.narrow.data();
}

Expected<void> call(pageproof_status (*entry)(const pageproof_job*), pageproof_direction direction,
                    const ConvertJob& job) {
  Tables standard(job.standard), key(job.key), value(job.value);
  pageproof_job c{};
  c.struct_bytes = sizeof c;
  c.memory = PAGEPROOF_HOST;
  c.shape = {static_cast<std::uint32_t>(job.shape.heads), static_cast<std::uint32_t>(job.shape.tokens),
             static_cast<std::uint32_t>(job.shape.head_dim),
             static_cast<std::uint32_t>(job.shape.element_bytes)};
  c.layers = static_cast<std::uint32_t>(job.key.layers.size());
  c.id_bytes = static_cast<std::uint32_t>(job.id_bytes);
  c.id_count = job.to.size();
  c.block_ids = ids_of(job, job.to, key);
  c.k_plane = key.pool(job.key);
  c.v_plane = value.pool(job.value);
  if (entry == pageproof_convert) {
    c.standard_block_ids = ids_of(job, job.from, standard);
    c.standard = standard.pool(job.standard);
  }
  c.order = job.tokens_first ? PAGEPROOF_TOKENS_FIRST : PAGEPROOF_HEADS_FIRST;
  c.direction = direction;
  c.rewrite = job.rewrite ? PAGEPROOF_E4M3_TO_E4M3FNUZ : PAGEPROOF_KEEP_BYTES;
  c.threads = static_cast<std::uint32_t>(job.threads);
  const pageproof_status status = entry(&c);
  if (status == PAGEPROOF_OK) return {};
  return std::unexpected(
      Error{"pageproof_job", "status", std::to_string(status), pageproof_status_text(status)});
}

}  // namespace

Converter production() {
  const Converter fold = fold_converter();
  const auto way = [](pageproof_status (*entry)(const pageproof_job*), pageproof_direction direction,
                      const Convert& otherwise) -> Convert {
    return [=](const ConvertJob& job) {
      return is_fast_shape(job.shape) ? call(entry, direction, job) : otherwise(job);
    };
  };
  return {"production", way(pageproof_convert, PAGEPROOF_TO_PLANES, fold.out_of_place),
          way(pageproof_convert_in_place, PAGEPROOF_TO_PLANES, fold.in_place),
          way(pageproof_convert, PAGEPROOF_TO_PAGES, fold.inverse),
          way(pageproof_convert_in_place, PAGEPROOF_TO_PAGES, fold.inverse_in_place)};
}

}  // namespace pageproof::fuzz
