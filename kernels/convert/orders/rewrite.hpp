// The rewrite of OCP e4m3 codes into e4m3fnuz codes of half the value, a granule at a time, on the way
// through a kernel:
//
//   0x80 (-0)                -> 0x00, for 0x80 is fnuz's only NaN
//   0x7F, 0xFF (NaN)         -> 0x80, for fnuz reads them as 240 and -240
//   every other code         -> itself: fnuz's exponent bias is one more, so it means half of what it meant
//
// So the reader must double its scale. Source: page_layouts.md §4.
#pragma once

#include "kernels/convert/words.hpp"

#if !defined(__HIP__) && !defined(__CUDACC__)
#include "kernels/convert/vectors.hpp"
#endif

namespace pageproof::convert {

// Four codes at once. No sum leaves its byte: the addends have 7 bits each.
PAGEPROOF_INLINE constexpr uint32_t e4m3_to_e4m3fnuz(uint32_t codes) {
  const uint32_t magnitude = codes & 0x7f7f7f7fu;
  const uint32_t not_zero = (magnitude + 0x7f7f7f7fu) & 0x80808080u;  // 0x80 in the bytes that are not ±0
  const uint32_t nan = (magnitude + 0x01010101u) & 0x80808080u;       // 0x80 in the bytes that are NaN
  const uint32_t all_but_sign = nan - (nan >> 7);                     // 0x7f there
  return ((codes & (magnitude | not_zero)) | nan) & ~all_but_sign;
}

PAGEPROOF_INLINE void rewrite(Words& granule) {
  PAGEPROOF_UNROLL
  for (uint32_t i = 0; i < 4; ++i) granule.word[i] = e4m3_to_e4m3fnuz(granule.word[i]);
}

#if !defined(__HIP__) && !defined(__CUDACC__)
PAGEPROOF_INLINE void rewrite(Vector& granule) {
  const Vector magnitude = granule & 0x7f;
  const Vector kept = magnitude == 0 ? Vector{} : granule;
  granule = magnitude == 0x7f ? Vector{} + 0x80 : kept;
}
#endif

}  // namespace pageproof::convert
