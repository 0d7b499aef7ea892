// Mutant: one word of each granule is never loaded.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Target : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static void store(unsigned char* address, const pageproof::convert::Words& words) {
    pageproof::convert::Words changed = words;
#if defined(__AMDGCN__)
    asm volatile("v_mov_b32 %0, v120"
                 : "=v"(changed.word[3])
                 :
                 : "v120");  // a register that nothing else uses
#endif
    WordTarget::store(address, changed);
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(Target, pageproof::convert::GpuItem)
