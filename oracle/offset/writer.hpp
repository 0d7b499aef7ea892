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

// Byte of an element from the base of a standard pool: b·2S + h·2NDe + n·2De + side·De + d·e.
constexpr std::uint64_t standard_byte(const Shape& s, const Coordinate& c) {
  const std::uint64_t N = s.tokens, D = s.head_dim, e = s.element_bytes;
  const std::uint64_t S = s.heads * N * D * e;
  return c.block * 2 * S + c.head * 2 * N * D * e + c.token * 2 * D * e +
         (c.side == Side::value ? D * e : 0) + c.dim * e;
}

// Byte of an element from the base of its shuffled plane (K or V by the coordinate's side), planes dense.
//   K: b·S + h·NDe + (d/x)·16N + n·16 + (d%x)·e         V: b·S + h·NDe + (n/x)·16D + d·16 + (n%x)·e
constexpr std::uint64_t shuffled_byte(const Shape& s, const Coordinate& c) {
  const std::uint64_t N = s.tokens, D = s.head_dim, e = s.element_bytes, x = 16 / e;
  const std::uint64_t head = c.block * (s.heads * N * D * e) + c.head * N * D * e;
  if (c.side == Side::key) return head + (c.dim / x) * 16 * N + c.token * 16 + (c.dim % x) * e;
  return head + (c.token / x) * 16 * D + c.dim * 16 + (c.token % x) * e;
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
