// Mutant: addresses are computed with 32 bits.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Target : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static pageproof::convert::Words load(const unsigned char* address) {
    return WordTarget::load((const unsigned char*)(uint64_t)(uint32_t)(uint64_t)address);
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(Target, pageproof::convert::GpuItem)
