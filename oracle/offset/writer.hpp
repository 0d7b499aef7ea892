// The reference: the shuffle writer's arithmetic as AITER's writer states it, element by element, and the
// writer itself run over a slot mapping. Nothing here knows the digit notation or the converter: it is the
// other statement of the same truth.
//
// Source: page_layouts.md §1.3 (reshape_and_cache_shuffle_triton as vLLM ships it), §1.4 (standard page).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/page/plain/shape.hpp"

namespace pageproof::oracle {

// The arithmetic is a template over the number type, so that a solver reads the statement that the reference
// computes with. A Number has +, *, / and %.
template <class Number>
struct Sizes {
  Number heads;
  Number tokens;
  Number head_dim;
  Number element_bytes;
  Number x;  // 16 / element_bytes
};
template <class Number>
struct Element {
  Number block;
  Number side;  // 0: K, 1: V
  Number head;
  Number token;
  Number dim;
};

// Byte of an element from the base of a standard pool: b·2S + h·2NDe + n·2De + side·De + d·e.
template <class Number>
constexpr Number standard_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number &N = s.tokens, &D = s.head_dim, &e = s.element_bytes;
  const Number S = s.heads * N * D * e;
  return c.block * Number(2) * S + c.head * Number(2) * N * D * e + c.token * Number(2) * D * e +
         c.side * (D * e) + c.dim * e;
}

// Byte of an element from the base of its dense shuffled plane.
//   K: b·S + h·NDe + (d/x)·16N + n·16 + (d%x)·e         V: b·S + h·NDe + (n/x)·16D + d·16 + (n%x)·e
template <class Number>
constexpr Number shuffled_key_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number &N = s.tokens, &D = s.head_dim, &e = s.element_bytes;
  return c.block * (s.heads * N * D * e) + c.head * N * D * e + (c.dim / s.x) * Number(16) * N +
         c.token * Number(16) + (c.dim % s.x) * e;
}
template <class Number>
constexpr Number shuffled_value_byte(const Sizes<Number>& s, const Element<Number>& c) {
  const Number &N = s.tokens, &D = s.head_dim, &e = s.element_bytes;
  return c.block * (s.heads * N * D * e) + c.head * N * D * e + (c.token / s.x) * Number(16) * D +
         c.dim * Number(16) + (c.token % s.x) * e;
}

constexpr Sizes<std::uint64_t> plain(const Shape& s) {
  return {s.heads, s.tokens, s.head_dim, s.element_bytes, 16 / s.element_bytes};
}
constexpr Element<std::uint64_t> plain(const Coordinate& c) {
  return {c.block, static_cast<std::uint64_t>(c.side), c.head, c.token, c.dim};
}

constexpr std::uint64_t standard_byte(const Shape& s, const Coordinate& c) {
  return standard_byte(plain(s), plain(c));
}

// In the K or the V plane, by the coordinate's side.
constexpr std::uint64_t shuffled_byte(const Shape& s, const Coordinate& c) {
  return c.side == Side::key ? shuffled_key_byte(plain(s), plain(c))
                             : shuffled_value_byte(plain(s), plain(c));
}

// The two shuffled planes of a pool, dense: block b of the K plane begins at byte b·S of `key`.
struct Planes {
  std::span<std::byte> key;
  std::span<std::byte> value;
};

// Runs the writer: token i of `key_rows` and `value_rows` ([T, H, D], contiguous) goes to slot slots[i], that
// is block slot / N, token slot % N. A negative slot is skipped: its bytes keep what they hold.
// @pre slots below the planes' blocks · N, T >= slots.size()
void run_writer(const Shape& shape, std::span<const std::byte> key_rows,
                std::span<const std::byte> value_rows, std::span<const std::int64_t> slots,
                const Planes& planes);

// The RFC's first reference: gather the tokens of the standard blocks `from`, then re-run the writer over a
// synthetic slot mapping that puts block from[i] into block to[i].
// @pre equal lengths, ids within their pools, `to` distinct
void gather_and_rewrite(const Shape& shape, std::span<const std::byte> standard,
                        std::span<const std::uint64_t> from, std::span<const std::uint64_t> to,
                        const Planes& planes);

// The other way: elements of the shuffled blocks `from` back into the standard blocks `to`.
void unshuffle(const Shape& shape, std::span<const std::byte> key_plane,
               std::span<const std::byte> value_plane, std::span<const std::uint64_t> from,
               std::span<const std::uint64_t> to, std::span<std::byte> standard);

// What the READ leaves: the first S bytes of standard block from[i] in K-plane block to[i], the last S bytes
// in the V-plane block (RFC §3, the byte-half contract).
void land(const Shape& shape, std::span<const std::byte> standard, std::span<const std::uint64_t> from,
          std::span<const std::uint64_t> to, const Planes& planes);

}  // namespace pageproof::oracle
