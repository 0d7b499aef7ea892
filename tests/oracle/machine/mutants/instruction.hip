// Mutant: an instruction that the prover does not know.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Item : pageproof::convert::GpuItem {
  __device__ void barrier() const {
#if defined(__AMDGCN__)
    asm volatile("s_sethalt 0");
#endif
    GpuItem::barrier();
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(pageproof::convert::WordTarget, Item)
