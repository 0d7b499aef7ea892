// The six KV-cache layouts: the order, outermost first, of the axes of one allocation: layer L, block B, head
// slot H, token N, content C (the bytes of one slot and token, always innermost). Strides are products of the
// axes further in, so a layout too is one line of data:
//
//   LBHNC  l·BHNC + b·HNC + h·NC + t·C + c        (HND)
//   LBNHC  l·BHNC + b·HNC + t·HC + h·C + c        (NHD)
//   LHBNC  l·BHNC + h·BNC + b·NC + t·C + c
//
// Source: page_layouts.md §2.1 (vLLM's kv_cache_layout).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/page/plain/error.hpp"

namespace pageproof::page {

enum class LayoutAxis : std::uint8_t { layer, block, head_slot, token, content };
inline constexpr std::size_t kLayoutAxes = 5;

struct Layout {
  std::string_view name;                      // "LBHNC"
  std::string_view alias;                     // "HND"; may be empty
  std::array<LayoutAxis, kLayoutAxes> order;  // outermost first
};

std::span<const Layout> layouts();

// By name or alias; an unknown one is refused with the nearest.
Expected<const Layout*> find_layout(std::string_view name);

// A value per axis, indexed by LayoutAxis: sizes, indices or strides. The content's unit is the byte.
template <class Number>
using PerLayoutAxis = std::array<Number, kLayoutAxes>;

constexpr std::size_t index_of(LayoutAxis axis) {
  return static_cast<std::size_t>(axis);
}

// Byte stride of each axis: the product of the sizes of the axes further in.
template <class Number>
PerLayoutAxis<Number> strides(const Layout& layout, const PerLayoutAxis<Number>& sizes) {
  PerLayoutAxis<Number> stride{Number(1), Number(1), Number(1), Number(1), Number(1)};
  Number product = Number(1);
  for (std::size_t i = kLayoutAxes; i-- > 0;) {
    const std::size_t axis = index_of(layout.order[i]);
    stride[axis] = product;
    product = product * sizes[axis];
  }
  return stride;
}

// What an engine registers of one layer: one region where a block's bytes lie together, one a head slot where
// the slots are planes (LHBNC, BHLNC). Bytes.
template <class Number>
struct RegisteredRegion {
  Number base;
  Number block_len;
  Number block_stride;
};

constexpr bool planes_per_head_slot(const Layout& layout) {
  // The block's bytes lie together where nothing but H, N and C stand inside both L and B.
  return layout.order[2] == LayoutAxis::block || layout.order[2] == LayoutAxis::layer;
}

template <class Number>
RegisteredRegion<Number> registered_region(const Layout& layout, const PerLayoutAxis<Number>& sizes,
                                           const Number& layer, const Number& head_slot) {
  const PerLayoutAxis<Number> stride = strides(layout, sizes);
  const Number slot_bytes = sizes[index_of(LayoutAxis::token)] * sizes[index_of(LayoutAxis::content)];
  const Number layer_base = layer * stride[index_of(LayoutAxis::layer)];
  const Number block_stride = stride[index_of(LayoutAxis::block)];
  if (planes_per_head_slot(layout)) {
    return {layer_base + head_slot * stride[index_of(LayoutAxis::head_slot)], slot_bytes, block_stride};
  }
  return {layer_base, sizes[index_of(LayoutAxis::head_slot)] * slot_bytes, block_stride};
}

}  // namespace pageproof::page
