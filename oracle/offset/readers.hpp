// Where the kernels that read shuffled pages look for an element, each in its own arithmetic: vLLM's gather
// of cached context, AITER's ll4mi paged attention, and gluon's strided decode. Bytes from the base of a
// plane. Templates over the number type, as in writer.hpp; the writer's arithmetic does not occur here.
//
// Source: page_layouts.md §3.
#pragma once

#include "oracle/offset/writer.hpp"

namespace pageproof::oracle {

// cp_mha_gather_cache: element offsets, the block stride hard-coded H·D·N whatever the cache's stride is.
template <class Number>
constexpr Number gather_key_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number &H = s.heads, &N = s.tokens, &D = s.head_dim, &x = s.x;
  const Number element =
      c.block * (H * D * N) + c.head * (D * N) + (c.dim / x) * (N * x) + c.token * x + c.dim % x;
  return element * s.element_bytes;
}
template <class Number>
constexpr Number gather_value_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number &H = s.heads, &N = s.tokens, &D = s.head_dim, &x = s.x;
  const Number element =
      c.block * (H * D * N) + c.head * (D * N) + (c.token / x) * (D * x) + c.dim * x + c.token % x;
  return element * s.element_bytes;
}

// ll4mi: K's block and head strides for both planes; a position of the sequence, of which `position % N` lies
// in the block. K: fetches of 16 bytes at unit t·x + (d/x)·N·x. V: a lane owns 16 consecutive tokens and
// fetches 16 bytes at ((t%N)/x)·D·x + d·x.
template <class Number>
struct BlockHeadStrides {
  Number block;  // elements
  Number head;
};
template <class Number>
constexpr Number ll4mi_key_byte(const Sizes<Number>& s, const BlockHeadStrides<Number>& strides,
                                const Element<Number>& c, const Number& position) {
  const Number& x = s.x;
  const Number unit = (position % s.tokens) * x + (c.dim / x) * s.tokens * x;
  return (c.block * strides.block + c.head * strides.head + unit + c.dim % x) * s.element_bytes;
}
template <class Number>
constexpr Number ll4mi_value_byte(const Sizes<Number>& s, const BlockHeadStrides<Number>& strides,
                                  const Element<Number>& c, const Number& position) {
  const Number& x = s.x;
  const Number fetch = ((position % s.tokens) / x) * s.head_dim * x + c.dim * x;
  return (c.block * strides.block + c.head * strides.head + fetch + position % x) * s.element_bytes;
}

// gluon: the five strides of a contiguous [B, H, outer, middle, x], passed to the kernel.
template <class Number>
struct FiveStrides {
  Number block;
  Number head;
  Number outer;
  Number middle;
  Number inner;
};
template <class Number>
constexpr FiveStrides<Number> contiguous(const Number& heads, const Number& outer, const Number& middle,
                                         const Number& inner) {
  return {heads * outer * middle * inner, outer * middle * inner, middle * inner, inner, Number(1)};
}
// K is [B, H, D/x, N, x], V is [B, H, N/x, D, x].
template <class Number>
constexpr Number gluon_key_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const FiveStrides<Number> stride = contiguous(s.heads, s.head_dim / s.x, s.tokens, s.x);
  return (c.block * stride.block + c.head * stride.head + (c.dim / s.x) * stride.outer +
          c.token * stride.middle + (c.dim % s.x) * stride.inner) *
         s.element_bytes;
}
template <class Number>
constexpr Number gluon_value_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const FiveStrides<Number> stride = contiguous(s.heads, s.tokens / s.x, s.head_dim, s.x);
  return (c.block * stride.block + c.head * stride.head + (c.token / s.x) * stride.outer +
          c.dim * stride.middle + (c.token % s.x) * stride.inner) *
         s.element_bytes;
}

}  // namespace pageproof::oracle
