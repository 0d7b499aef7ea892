// Mutant: the barrier is dropped.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Item : pageproof::convert::GpuItem {
  __device__ void barrier() const { pageproof::convert::drain_loads(); }
};

PAGEPROOF_MUTANT_IN_PLACE(pageproof::convert::WordTarget, Item)
