// What a view's sizes and strides can and cannot tell, for someone who has a tensor and not the
// configuration: which layouts have these strides, whether a declared layout is contradicted, and whether an
// axis of 2 is two KV heads or one K and one V slot.
//
//   (97871, 2, 16, 256) with strides (8192, 256, 512, 1) and D = 128: two heads, for the strides are LBNHC's,
//   and no backend with two slots takes LBNHC
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/region/layout.hpp"

namespace pageproof::region {

// A 4-D view [B, H, N, C] as torch prints it: sizes and strides in elements.
struct StridedView {
  std::array<std::uint64_t, 4> sizes{};
  std::array<std::uint64_t, 4> strides{};

  friend bool operator==(const StridedView&, const StridedView&) = default;
};

// The layouts that give one layer's view these strides for some number of layers, in enum order. An axis of
// size 1 has no say. Empty: no layout does.
std::vector<Layout> layouts_with(const StridedView& view);

// Refused where the declared layout is none of layouts_with(view): names both the declaration and the
// strides' layouts (vLLM #35444, #37940).
Expected<void> declaration_holds(const StridedView& view, Layout declared, const std::string& subject);

struct ViewReading {
  bool heads_fit = false;      // H axis = KV heads, C = 2·D: fits the sizes, and some backend's layouts
  bool slots_fit = false;      // H axis = K slot and V slot, C = heads · D
  std::uint64_t kv_heads = 0;  // where exactly one fits
  std::vector<std::string> steps;

  bool decided() const { return heads_fit != slots_fit; }
};
ViewReading read_view(const StridedView& view, std::uint64_t head_dim);

}  // namespace pageproof::region
