// Mutant: a granule is stored two bytes at a time.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Target : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static void store(unsigned char* address, const pageproof::convert::Words& words) {
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t half = words.word[i / 2] >> 16 * (i % 2);
      ((volatile PAGEPROOF_GLOBAL uint16_t*)address)[i] = static_cast<uint16_t>(half);
    }
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(Target, pageproof::convert::GpuItem)
