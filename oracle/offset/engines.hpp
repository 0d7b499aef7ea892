// Where each engine's pages put an element: every page format that has a tag, its arithmetic written out as
// its project writes it, with no digit and no fold. Bytes from the base of a pool of pages, or of a plane,
// whose blocks lie in a row. Templates over the number type, as in writer.hpp.
//
// Source: page_layouts.md §1.3 to §3 and §5; the projects are named beside each statement.
#pragma once

#include <span>
#include <string_view>

#include "oracle/offset/readers.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::oracle {

// vLLM under LBNHC: [B, N, H, 2D].
template <class Number>
constexpr Number standard_nhd_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number &H = s.heads, &N = s.tokens, &D = s.head_dim;
  return (c.block * (N * H * Number(2) * D) + c.token * (H * Number(2) * D) + c.head * (Number(2) * D) +
          c.side * D + c.dim) *
         s.element_bytes;
}

// vLLM #51718, two head slots under LBHNC: the K plane's block, then the V plane's, in one page of 2S.
template <class Number>
constexpr Number two_slot_key_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number S = s.heads * s.tokens * s.head_dim * s.element_bytes;
  return c.block * S + shuffled_key_byte(s, c);  // the writer's own b·S makes it b·2S
}
template <class Number>
constexpr Number two_slot_value_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number S = s.heads * s.tokens * s.head_dim * s.element_bytes;
  return c.block * S + S + shuffled_value_byte(s, c);
}

// ATOM, MiniMax-M3: a block is P physical pages of 16 tokens, those of V `shift` after those of K.
template <class Number>
constexpr Number page16_key_byte(const Sizes<Number>& s, const Element<Number>& c, const Number& P) {
  const Number& x = s.x;
  const Number page = c.block * P + c.token / Number(16);
  return (((page * s.heads + c.head) * (s.head_dim / x) + c.dim / x) * Number(16) * x +
          (c.token % Number(16)) * x + c.dim % x) *
         s.element_bytes;
}
template <class Number>
constexpr Number page16_value_byte(const Sizes<Number>& s, const Element<Number>& c, const Number& P,
                                   const Number& shift) {
  const Number &D = s.head_dim, &x = s.x;
  const Number page = c.block * P + c.token / Number(16) + shift;
  return (((page * s.heads + c.head) * (Number(16) / x) + (c.token % Number(16)) / x) * D * x + c.dim * x +
          c.token % x) *
         s.element_bytes;
}

// vLLM reshape_and_cache, ROCM_ATTN: V is [H, D, N]; its K is where the gather of shuffled pages looks.
template <class Number>
constexpr Number classic_value_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number &H = s.heads, &N = s.tokens, &D = s.head_dim;
  return (c.block * (H * D * N) + c.head * (D * N) + c.dim * N + c.token) * s.element_bytes;
}

// FlashInfer, one tensor [P, 2, N, H, D] or [P, 2, H, N, D].
template <class Number>
constexpr Number flashinfer_nhd_byte(const Sizes<Number>& s, const Element<Number>& c) {
  return ((((c.block * Number(2) + c.side) * s.tokens + c.token) * s.heads + c.head) * s.head_dim + c.dim) *
         s.element_bytes;
}
template <class Number>
constexpr Number flashinfer_hnd_byte(const Sizes<Number>& s, const Element<Number>& c) {
  return ((((c.block * Number(2) + c.side) * s.heads + c.head) * s.tokens + c.token) * s.head_dim + c.dim) *
         s.element_bytes;
}

// TensorRT-LLM XQA: layout 0 has pages [H, N, D], layout 1 pools [page][N][H][D].
template <class Number>
constexpr Number xqa_0_byte(const Sizes<Number>& s, const Element<Number>& c) {
  return (((c.block * s.heads + c.head) * s.tokens + c.token) * s.head_dim + c.dim) * s.element_bytes;
}
template <class Number>
constexpr Number xqa_1_byte(const Sizes<Number>& s, const Element<Number>& c) {
  return (((c.block * s.tokens + c.token) * s.heads + c.head) * s.head_dim + c.dim) * s.element_bytes;
}

// vLLM CPU_ATTN: each (block, head) has a packed K of N·D elements, then a packed V.
template <class Number>
constexpr Number cpu_run_start(const Sizes<Number>& s, const Element<Number>& c) {
  return (c.block * s.heads + c.head) * (Number(2) * s.tokens * s.head_dim) +
         c.side * (s.tokens * s.head_dim);
}
template <class Number>
constexpr Number cpu_vec_key_byte(const Sizes<Number>& s, const Element<Number>& c) {
  return (cpu_run_start(s, c) + c.dim * s.tokens + c.token) * s.element_bytes;
}
template <class Number>
constexpr Number cpu_vec_value_byte(const Sizes<Number>& s, const Element<Number>& c) {
  return (cpu_run_start(s, c) + c.token * s.head_dim + c.dim) * s.element_bytes;
}
// AMX tiles of 4-byte words.
template <class Number>
constexpr Number cpu_amx_key_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number word = c.dim / Number(2);
  return (cpu_run_start(s, c) + (c.token / Number(16)) * Number(16) * s.head_dim + word * Number(32) +
          (c.token % Number(16)) * Number(2) + c.dim % Number(2)) *
         s.element_bytes;
}
template <class Number>
constexpr Number cpu_amx_value_byte(const Sizes<Number>& s, const Element<Number>& c) {
  return (cpu_run_start(s, c) + (c.dim / Number(16)) * Number(16) * s.tokens +
          (c.token / Number(2)) * Number(32) + (c.dim % Number(16)) * Number(2) + c.token % Number(2)) *
         s.element_bytes;
}
// Arm BFMMLA: pairs of tokens of K, pairs of dims of V.
template <class Number>
constexpr Number cpu_neon_key_byte(const Sizes<Number>& s, const Element<Number>& c) {
  return (cpu_run_start(s, c) + (c.token / Number(8)) * Number(8) * s.head_dim +
          (c.dim / Number(4)) * Number(32) + ((c.token % Number(8)) / Number(2)) * Number(8) +
          (c.token % Number(2)) * Number(4) + c.dim % Number(4)) *
         s.element_bytes;
}
template <class Number>
constexpr Number cpu_neon_value_byte(const Sizes<Number>& s, const Element<Number>& c) {
  return (cpu_run_start(s, c) + (c.dim / Number(2)) * Number(2) * s.tokens +
          (c.token / Number(4)) * Number(8) + (c.dim % Number(2)) * Number(4) + c.token % Number(4)) *
         s.element_bytes;
}

// AITER indexer_k_quant_and_cache with preshuffle: one head, K only, fp8; its scales are not elements.
template <class Number>
constexpr Number mfma_key_byte(const Sizes<Number>& s, const Element<Number>& c) {
  return (c.block * s.tokens * s.head_dim + (c.token / Number(16)) * Number(16) * s.head_dim +
          (c.dim / Number(16)) * Number(256) + (c.token % Number(16)) * Number(16) + c.dim % Number(16)) *
         s.element_bytes;
}
// AITER MLA: one head, one part of D dims; k elements a tile row.
template <class Number>
constexpr Number mla_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number& k = s.x;
  return (c.block * s.tokens * s.head_dim + (c.token / Number(16)) * Number(16) * s.head_dim +
          (c.dim / k) * Number(16) * k + (c.token % Number(16)) * k + c.dim % k) *
         s.element_bytes;
}

// One statement a tag.
struct EngineFormat {
  std::string_view tag;
  bool one_region;  // K and V in one pool of pages; else a K plane and a V plane
  bool key_only;
  std::uint64_t (*key)(const Shape&, const Coordinate&);
  std::uint64_t (*value)(const Shape&, const Coordinate&);  // null where there is no V
  std::string_view key_text;  // in elements within the block; bytes where it says so
  std::string_view value_text;
  std::string_view restated;  // where in this room
  std::string_view states;    // whose arithmetic it is

  std::uint64_t byte(const Shape& shape, const Coordinate& c) const {
    return (c.side == Side::key ? key : value)(shape, c);
  }
  // From one block to the next.
  std::uint64_t block_bytes(const Shape& shape) const {
    return one_region ? shape.page_bytes() : shape.side_bytes();
  }
};
std::span<const EngineFormat> engine_formats();

// Null where no format has this tag.
const EngineFormat* engine_format(std::string_view tag);

}  // namespace pageproof::oracle
