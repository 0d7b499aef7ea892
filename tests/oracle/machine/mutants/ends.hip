// Mutant: work-items meet at the barrier again and again.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Item : pageproof::convert::GpuItem {
  __device__ void barrier() const {
    for (;;) GpuItem::barrier();
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(pageproof::convert::WordTarget, Item)
