// Mutant: work-items wait for what never comes.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Item : pageproof::convert::GpuItem {
  __device__ void barrier() const {
    GpuItem::barrier();
    for (;;) __builtin_amdgcn_s_sleep(1);
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(pageproof::convert::WordTarget, Item)
