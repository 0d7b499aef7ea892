// A granule as four 32-bit words: what a GPU lane moves with one instruction. The V transpose is byte picks
// between two words (v_perm_b32, prmt): no arithmetic ever touches an element, so NaN payloads survive.
#pragma once

#include "kernels/convert/device.hpp"

namespace pageproof::convert {

struct alignas(16) Words {
  uint32_t word[4];
};

// The bytes p0 (lowest) ... p3 of a (0..3) and b (4..7).
template <uint32_t p0, uint32_t p1, uint32_t p2, uint32_t p3>
PAGEPROOF_INLINE uint32_t pick(uint32_t a, uint32_t b) {
#if defined(__AMDGCN__)
  return __builtin_amdgcn_perm(b, a, p0 | p1 << 8 | p2 << 16 | p3 << 24);
#elif defined(__CUDA_ARCH__)
  return __byte_perm(a, b, p0 | p1 << 4 | p2 << 8 | p3 << 12);
#else
  const uint64_t both = a | static_cast<uint64_t>(b) << 32;
  const auto byte = [both](uint32_t p) { return static_cast<uint32_t>(both >> 8 * p & 0xff); };
  return byte(p0) | byte(p1) << 8 | byte(p2) << 16 | byte(p3) << 24;
#endif
}

// How GPUs (and the fibers that stand in for them) move and transpose granules.
struct WordTarget {
  using Granule = Words;

  PAGEPROOF_INLINE static Words load(const unsigned char* address) {
#if defined(__AMDGCN__)
    using Vector = uint32_t __attribute__((ext_vector_type(4)));
    const Vector v = *(const PAGEPROOF_GLOBAL Vector*)address;
    return Words{{v.x, v.y, v.z, v.w}};
#else
    return *reinterpret_cast<const Words*>(address);
#endif
  }

  PAGEPROOF_INLINE static void store(unsigned char* address, const Words& words) {
#if defined(__AMDGCN__)
    using Vector = uint32_t __attribute__((ext_vector_type(4)));
    *(PAGEPROOF_GLOBAL Vector*)address = Vector{words.word[0], words.word[1], words.word[2], words.word[3]};
#else
    *reinterpret_cast<Words*>(address) = words;
#endif
  }

  // Other waves hide the latency of memory.
  PAGEPROOF_INLINE static void expect(const unsigned char*, uint32_t) {}

  // Where the stage keeps a granule. Lanes put granules 8, 16 or 32 apart and fetch consecutive ones; this
  // keeps both free of bank conflicts: for each of the three steps, eight neighbours fall into eight
  // different places.
  PAGEPROOF_INLINE static uint32_t slot(uint32_t granule) {
    return granule ^ ((granule >> 3 ^ granule >> 4 ^ granule >> 5) & 7);
  }

  // Row t of 8 elements of 2 bytes becomes column t.
  PAGEPROOF_OUTLINE static void transpose(Words (&rows)[8]) {
    Words columns[8];
    PAGEPROOF_UNROLL
    for (uint32_t j = 0; j < 4; ++j) {
      PAGEPROOF_UNROLL
      for (uint32_t p = 0; p < 4; ++p) {
        const uint32_t a = rows[2 * p].word[j], b = rows[2 * p + 1].word[j];
        columns[2 * j].word[p] = pick<0, 1, 4, 5>(a, b);
        columns[2 * j + 1].word[p] = pick<2, 3, 6, 7>(a, b);
      }
    }
    PAGEPROOF_UNROLL
    for (uint32_t i = 0; i < 8; ++i) rows[i] = columns[i];
  }

  // Row t of 16 elements of 1 byte becomes column t: sixteen 4 by 4 transposes.
  PAGEPROOF_OUTLINE static void transpose(Words (&rows)[16]) {
    Words columns[16];
    PAGEPROOF_UNROLL
    for (uint32_t j = 0; j < 4; ++j) {
      PAGEPROOF_UNROLL
      for (uint32_t p = 0; p < 4; ++p) {
        const uint32_t a = rows[4 * p].word[j], b = rows[4 * p + 1].word[j];
        const uint32_t c = rows[4 * p + 2].word[j], d = rows[4 * p + 3].word[j];
        const uint32_t ab_low = pick<0, 4, 1, 5>(a, b), ab_high = pick<2, 6, 3, 7>(a, b);
        const uint32_t cd_low = pick<0, 4, 1, 5>(c, d), cd_high = pick<2, 6, 3, 7>(c, d);
        columns[4 * j].word[p] = pick<0, 1, 4, 5>(ab_low, cd_low);
        columns[4 * j + 1].word[p] = pick<2, 3, 6, 7>(ab_low, cd_low);
        columns[4 * j + 2].word[p] = pick<0, 1, 4, 5>(ab_high, cd_high);
        columns[4 * j + 3].word[p] = pick<2, 3, 6, 7>(ab_high, cd_high);
      }
    }
    PAGEPROOF_UNROLL
    for (uint32_t i = 0; i < 16; ++i) rows[i] = columns[i];
  }
};

}  // namespace pageproof::convert
