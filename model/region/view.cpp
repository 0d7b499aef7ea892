#include "model/region/view.hpp"

#include <fmt/format.h>

namespace pageproof::region {
namespace {

std::uint64_t* stride_at(Strides& strides, LayoutAxis axis) {
  switch (axis) {
    case LayoutAxis::layer:
      return &strides.layer;
    case LayoutAxis::block:
      return &strides.block;
    case LayoutAxis::head:
      return &strides.head;
    case LayoutAxis::token:
      return &strides.token;
    case LayoutAxis::content:
      break;
  }
  return nullptr;
}

bool is_pool_axis(LayoutAxis axis) {
  return axis == LayoutAxis::layer || axis == LayoutAxis::block;
}

// May a manager block be cut into kernel blocks: is it one dense page?
Expected<void> splittable(const CacheSpec& manager, const Strides& strides, Layout layout,
                          const Engine& engine) {
  if (strides.block == manager.unpadded_bytes()) return {};
  return std::unexpected(Error{
      engine.engine_id, "$.kernel_block_size", std::to_string(engine.kernel_block_size),
      fmt::format(
          "{} with {} head slots and {} layers has no dense page, so block_size must be equal (ValueError)",
          to_string(layout), manager.head_slots, engine.model.layers)});
}

}  // namespace

CacheSpec spec_of(const Engine& engine) {
  const std::uint64_t row = engine.model.head_dim * element_bytes_of(engine);
  CacheSpec spec{.head_slots = 1,
                 .tokens = engine.kernel_block_size,
                 .content_bytes = row,
                 .padded_page_bytes = engine.padded_page_bytes};
  if (engine.model.latent) return spec;
  if (has_two_slots(page_format_of(engine), "").value_or(false)) {
    spec.head_slots = 2;
    spec.content_bytes = kv_heads_of_rank(engine) * row;
  } else {
    spec.head_slots = kv_heads_of_rank(engine);
    spec.content_bytes = 2 * row;
  }
  return spec;
}

Expected<Strides> strides_of(const CacheSpec& spec, Layout layout, std::uint64_t layers, std::uint64_t blocks,
                             const std::string& subject) {
  Strides strides;
  std::uint64_t running = 1;
  bool page_is_whole = false;
  const std::array<LayoutAxis, 5> order = order_of(layout);
  for (std::size_t i = order.size(); i-- > 0;) {
    const LayoutAxis axis = order[i];
    if (is_pool_axis(axis) && !page_is_whole && running == spec.unpadded_bytes()) {
      running = spec.page_bytes();
      page_is_whole = true;
    }
    if (std::uint64_t* stride = stride_at(strides, axis)) *stride = running;
    const std::uint64_t sizes[] = {layers, blocks, spec.head_slots, spec.tokens, spec.content_bytes};
    running *= sizes[static_cast<std::size_t>(axis)];
  }
  if (!page_is_whole && spec.padded_page_bytes != 0 && spec.padded_page_bytes != spec.unpadded_bytes()) {
    return std::unexpected(Error{subject, "$.padded_page_bytes", std::to_string(spec.padded_page_bytes),
                                 fmt::format("{} has no whole page to pad (ValueError)", to_string(layout))});
  }
  return strides;
}

Expected<std::vector<LayerView>> allocate(const Engine& engine, Layout layout) {
  const std::uint64_t per_logical = blocks_per_logical_block(engine);
  const std::uint64_t tensors = engine.model.layers / engine.model.groups;
  const CacheSpec kernel = spec_of(engine);
  CacheSpec manager = kernel;
  manager.tokens *= per_logical;
  manager.padded_page_bytes *= per_logical;
  const Expected<Strides> pool = strides_of(manager, layout, tensors, engine.num_blocks, engine.engine_id);
  if (!pool) return std::unexpected(pool.error());
  if (per_logical != 1) {
    if (const auto whole = splittable(manager, *pool, layout, engine); !whole)
      return std::unexpected(whole.error());
  }
  // A kernel block is a page of its own: the inner strides are its own, the block stride its share.
  Expected<Strides> inner = strides_of(kernel, layout, tensors, kernel_blocks_of(engine), engine.engine_id);
  if (!inner) return std::unexpected(inner.error());
  inner->layer = pool->layer;
  inner->block = pool->block / per_logical;

  std::vector<LayerView> views;
  for (std::uint64_t layer = 0; layer < engine.model.layers; ++layer) {
    views.push_back({.layer = fmt::format("model.layers.{}.self_attn.attn", layer),
                     .pointer = engine.base_address + layer / engine.model.groups * inner->layer,
                     .blocks = kernel_blocks_of(engine),
                     .spec = kernel,
                     .strides = *inner,
                     .storage_base = engine.base_address,
                     .storage_bytes = tensors * kernel_blocks_of(engine) * kernel.page_bytes(),
                     .group = static_cast<std::int64_t>(layer % engine.model.groups),
                     .latent = engine.model.latent,
                     .compressed = false,
                     .memory = engine.memory,
                     .page_format = page_format_of(engine)});
  }
  return views;
}

std::uint64_t view_bytes(const LayerView& view) {
  return view.blocks * view.spec.unpadded_bytes();
}

bool is_page_contiguous(const LayerView& view) {
  const CacheSpec& spec = view.spec;
  const bool tokens = spec.tokens == 1 || view.strides.token == spec.content_bytes;
  const bool heads = spec.head_slots == 1 || view.strides.head == spec.tokens * spec.content_bytes;
  return tokens && heads && spec.page_bytes() == spec.unpadded_bytes();
}

}  // namespace pageproof::region
