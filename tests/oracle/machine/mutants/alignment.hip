// Mutant: granules are loaded half a granule off.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Target : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static pageproof::convert::Words load(const unsigned char* address) {
    return WordTarget::load(address - 8 + 16 * ((uint64_t)address & 1));
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(Target, pageproof::convert::GpuItem)
