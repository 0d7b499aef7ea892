// The RFC's second reference, the view/permute of one block, as strides and nothing else:
//
//   K, V = std[..., :D], std[..., D:]
//   k_shuf = K.reshape(H, N, D/x, x).permute(0, 2, 1, 3)      (H, D/x, N, x)
//   v_shuf = V.reshape(H, N/x, x, D).permute(0, 1, 3, 2)      (H, N/x, D, x)
//
// Source: the RFC, §4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/page/plain/shape.hpp"

namespace pageproof::oracle {

// A view of 4 axes on an array of elements: sizes and strides in elements, outermost first.
struct View {
  std::uint64_t start = 0;
  std::array<std::uint64_t, 4> sizes{};
  std::array<std::uint64_t, 4> strides{};

  // Axis i of the result is axis order[i] of this view.
  constexpr View permuted(const std::array<std::size_t, 4>& order) const {
    View view{start, {}, {}};
    for (std::size_t i = 0; i < 4; ++i) {
      view.sizes[i] = sizes[order[i]];
      view.strides[i] = strides[order[i]];
    }
    return view;
  }
};

// K.reshape(H, N, D/x, x).permute(0, 2, 1, 3), a view of one standard block of [H, N, 2D] elements.
constexpr View shuffled_key_view(const Shape& s) {
  const std::uint64_t N = s.tokens, D = s.head_dim, x = 16 / s.element_bytes;
  const View reshaped{0, {s.heads, N, D / x, x}, {N * 2 * D, 2 * D, x, 1}};
  return reshaped.permuted({0, 2, 1, 3});
}

// V.reshape(H, N/x, x, D).permute(0, 1, 3, 2).
constexpr View shuffled_value_view(const Shape& s) {
  const std::uint64_t N = s.tokens, D = s.head_dim, x = 16 / s.element_bytes;
  const View reshaped{D, {s.heads, N / x, x, D}, {N * 2 * D, x * 2 * D, 2 * D, 1}};
  return reshaped.permuted({0, 1, 3, 2});
}

// Writes the view's elements in row-major order, as torch's .contiguous() does.
void copy_contiguous(const View& view, std::uint64_t element_bytes, std::span<const std::byte> source,
                     std::span<std::byte> destination);

}  // namespace pageproof::oracle
