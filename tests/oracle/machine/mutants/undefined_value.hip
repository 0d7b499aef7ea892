// Mutant: one word of each granule is never loaded.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Target : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static void store(unsigned char* address, const pageproof::convert::Words& words) {
    pageproof::convert::Words changed = words;
#if defined(__AMDGCN__)
    // A register that nothing else writes.
    asm volatile("v_mov_b32 %0, v63" : "=v"(changed.word[3]) : : "v63");
#endif
    WordTarget::store(address, changed);
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(Target, pageproof::convert::GpuItem)
