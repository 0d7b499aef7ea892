// Mutant: granules are stored two bytes at a time.
#include "kernels/convert/entry.hpp"

struct NarrowTarget : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static void store(unsigned char* address, const pageproof::convert::Words& words) {
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t half = words.word[i / 2] >> 16 * (i % 2);
      ((volatile PAGEPROOF_GLOBAL uint16_t*)address)[i] = static_cast<uint16_t>(half);
    }
  }
};

using Shape = pageproof::convert::Geometry<16, 128, 2>;
PAGEPROOF_KERNEL(pageproof_narrow_copy, Shape, NarrowTarget, pageproof::convert::Mode::out_of_place,
                 pageproof::convert::GpuItem, 256)
