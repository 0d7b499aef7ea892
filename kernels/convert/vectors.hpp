// A granule as one 16-byte vector of the CPU. The transpose is log2(x) rounds of interleaving row i with row
// i + x/2: each round rotates the bits of (row, column) by one place, and after log2(x) rounds they have
// changed places.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "kernels/convert/device.hpp"

namespace pageproof::convert {

using Vector = std::uint8_t __attribute__((vector_size(16), may_alias));

// How a CPU thread moves and transposes granules. kStreaming: stores go around the caches, for jobs that do
// not fit into them; the caller fences (finish).
template <bool kStreaming>
struct VectorTarget {
  using Granule = Vector;

  PAGEPROOF_INLINE static Vector load(const unsigned char* address) {
    return *reinterpret_cast<const Vector*>(address);
  }

  PAGEPROOF_INLINE static void store(unsigned char* address, const Vector& granule) {
#if defined(__SSE2__)
    if constexpr (kStreaming) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(address), reinterpret_cast<const __m128i&>(granule));
      return;
    }
#endif
    *reinterpret_cast<Vector*>(address) = granule;
  }

  // Tiles read short pieces of many rows, which the hardware does not foresee; the bytes of the tiles after
  // them are fetched in the order of the page instead. Beyond a page lies the next one, or nothing: a
  // prefetch cannot fault.
  PAGEPROOF_INLINE static void expect(const unsigned char* tile, std::uint32_t bytes) {
    PAGEPROOF_UNROLL
    for (std::uint32_t line = 0; line < bytes; line += 64) __builtin_prefetch(tile + line + kAheadBytes);
  }

  // Streaming stores are ordered before what the thread does next.
  PAGEPROOF_INLINE static void finish() {
#if defined(__SSE2__)
    if constexpr (kStreaming) _mm_sfence();
#endif
  }

  // A cache has no banks to avoid: the stage is in the order of the planes.
  PAGEPROOF_INLINE static std::uint32_t slot(std::uint32_t granule) { return granule; }

  template <std::uint32_t kRows>
  PAGEPROOF_INLINE static void transpose(Vector (&rows)[kRows]) {
    static_assert(kRows == 8 || kRows == 16);
    PAGEPROOF_UNROLL
    for (std::uint32_t round = 1; round < kRows; round *= 2) {
      Vector next[kRows];
      PAGEPROOF_UNROLL
      for (std::uint32_t i = 0; i < kRows / 2; ++i) {
        next[2 * i] = low<kRows>(rows[i], rows[i + kRows / 2]);
        next[2 * i + 1] = high<kRows>(rows[i], rows[i + kRows / 2]);
      }
      PAGEPROOF_UNROLL
      for (std::uint32_t i = 0; i < kRows; ++i) rows[i] = next[i];
    }
  }

 private:
  static constexpr std::uint32_t kAheadBytes =
      4096;  // measured: 2 KiB is too late, 12 KiB drops out of the cache

  // The lower halves of a and b, interleaved element by element (kRows elements in a granule).
  template <std::uint32_t kRows>
  PAGEPROOF_INLINE static Vector low(const Vector& a, const Vector& b) {
    if constexpr (kRows == 16) {
      return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    } else {
      return __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
    }
  }

  template <std::uint32_t kRows>
  PAGEPROOF_INLINE static Vector high(const Vector& a, const Vector& b) {
    if constexpr (kRows == 16) {
      return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    } else {
      return __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
    }
  }
};

}  // namespace pageproof::convert
