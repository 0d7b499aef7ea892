// Mutant: the sign of an element is cleared on its way, as a float's absolute value would be.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Target : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static void store(unsigned char* address, const pageproof::convert::Words& words) {
    pageproof::convert::Words changed = words;
    changed.word[0] &= 0x7fffffff;
    WordTarget::store(address, changed);
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(Target, pageproof::convert::GpuItem)
