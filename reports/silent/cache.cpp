#include "reports/silent/cache.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "oracle/offset/writer.hpp"

namespace pageproof::silent {
namespace {

using region::Engine;

constexpr std::uint64_t kTile = 16;  // tokens of a aiter-page16 tile

struct Named {
  std::string_view tag;
  Format format;
};
constexpr std::array<Named, 5> kFormats = {{
    {region::kStandard, Format::standard},
    {region::kShuffled, Format::shuffled},
    {region::kClassicPaged, Format::rocm_attn},
    {region::kCpuVec, Format::cpu_attn},
    {region::kPage16, Format::page_16},
}};

Expected<Format> format_of(const Engine& engine) {
  if (engine.model.latent) return Format::latent;
  const std::string tag = region::page_format_of(engine);
  const auto found = std::ranges::find(kFormats, tag, &Named::tag);
  if (found != kFormats.end()) return found->format;
  return std::unexpected(
      Error{engine.engine_id, "$.page_format", tag, "the byte oracle does not know what its writer does"});
}

// Byte of an element within the dense run of its slot: one side of a block, or one head of CPU_ATTN.
std::uint64_t dense_byte(const Cache& cache, const Shape& shape, const Coordinate& at) {
  const std::uint64_t e = shape.element_bytes;
  const std::uint64_t x = shape.granule_elements();
  switch (cache.format) {
    case Format::rocm_attn:
      if (at.side == Side::value) {
        return at.head * shape.tokens * shape.head_dim * e + (at.dim * shape.tokens + at.token) * e;
      }
      return oracle::shuffled_byte(shape, at);
    case Format::page_16: {
      const std::uint64_t tile = (at.token / kTile * shape.heads + at.head) * kTile * shape.head_dim;
      const std::uint64_t token = at.token % kTile;
      const std::uint64_t within = at.side == Side::key
                                       ? at.dim / x * kTile * x + token * x + at.dim % x
                                       : token / x * shape.head_dim * x + at.dim * x + token % x;
      return (tile + within) * e;
    }
    case Format::cpu_attn:
      if (at.side == Side::key) return (at.dim * shape.tokens + at.token) * e;
      return (shape.tokens * shape.head_dim + at.token * shape.head_dim + at.dim) * e;
    default:
      return oracle::shuffled_byte(shape, at);
  }
}

std::uint64_t offset_of(const Cache& cache, const Shape& shape, const Coordinate& at) {
  const std::uint64_t side = at.side == Side::value ? 1 : 0;
  switch (cache.format) {
    case Format::standard:
      return at.head * cache.slot_stride + at.token * cache.token_stride +
             (side * cache.dims + at.dim) * cache.element_bytes;
    case Format::latent:
      return at.token * cache.token_stride + at.dim * cache.element_bytes;
    case Format::cpu_attn:
      return at.head * cache.slot_stride + dense_byte(cache, shape, at);
    default:
      return side * cache.slot_stride + dense_byte(cache, shape, at);
  }
}

Expected<Cache> placed(const Engine& engine, region::Layout layout) {
  const Expected<Format> format = format_of(engine);
  if (!format) return std::unexpected(format.error());
  const Expected<std::vector<region::LayerView>> views = region::allocate(engine, layout);
  if (!views) return std::unexpected(views.error());
  const region::LayerView& first = views->front();
  Cache cache{.format = *format,
              .sides = engine.model.latent ? std::uint64_t{1} : std::uint64_t{2},
              .heads = region::kv_heads_of_rank(engine),
              .tokens = engine.kernel_block_size,
              .dims = engine.model.head_dim,
              .element_bytes = region::element_bytes_of(engine),
              .slots = first.spec.head_slots,
              .content_bytes = first.spec.content_bytes,
              .block_stride = first.strides.block,
              .slot_stride = first.strides.head,
              .token_stride = first.strides.token};
  for (const region::LayerView& view : *views) {
    cache.layers.push_back({view.pointer, static_cast<std::uint64_t>(view.group)});
  }
  const Shape shape{cache.heads, cache.tokens, cache.dims, cache.element_bytes};
  cache.offsets.resize(cache.elements());
  for (std::uint64_t h = 0; h < cache.heads; ++h) {
    for (std::uint64_t t = 0; t < cache.tokens; ++t) {
      for (std::uint64_t side = 0; side < cache.sides; ++side) {
        for (std::uint64_t d = 0; d < cache.dims; ++d) {
          const std::uint64_t offset = offset_of(cache, shape, {0, static_cast<Side>(side), h, t, d});
          if (offset > std::numeric_limits<std::uint32_t>::max()) {
            return std::unexpected(Error{engine.engine_id, "$.num_blocks", std::to_string(engine.num_blocks),
                                         "a block of the byte oracle spans 4 GiB"});
          }
          cache.offsets[cache.number(h, t, side, d)] = static_cast<std::uint32_t>(offset);
        }
      }
    }
  }
  return cache;
}

// Over a whole pool of two manager blocks: does the writer reach a byte twice, or one outside the pool?
Expected<bool> overlaps(Engine engine, region::Layout layout) {
  engine.num_blocks = 2;
  const Expected<Cache> cache = placed(engine, layout);
  if (!cache) return std::unexpected(cache.error());
  const std::uint64_t blocks = region::kernel_blocks_of(engine);
  const std::uint64_t pool =
      engine.model.layers / engine.model.groups * blocks * cache->elements() * cache->element_bytes;
  std::vector<bool> written(pool);
  for (std::size_t layer = 0; layer < cache->layers.size(); ++layer) {
    if (cache->layers[layer].group != 0) continue;  // the other groups lie over this one
    for (std::uint64_t block = 0; block < blocks; ++block) {
      for (std::uint64_t element = 0; element < cache->elements(); ++element) {
        const std::uint64_t at = cache->address(layer, block, element) - engine.base_address;
        if (at >= pool || written[at]) return true;
        written[at] = true;
      }
    }
  }
  return false;
}

}  // namespace

Expected<Cache> cache_of(const Engine& engine, region::Layout layout) {
  const Expected<bool> overlap = overlaps(engine, layout);
  if (!overlap) return std::unexpected(overlap.error());
  if (*overlap) {
    return std::unexpected(Error{engine.engine_id, "layout", to_string(layout),
                                 "the writer's elements overlap: such an engine cannot read its own pages"});
  }
  return placed(engine, layout);
}

}  // namespace pageproof::silent
