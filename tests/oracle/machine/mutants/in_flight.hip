// Mutant: the barrier does not wait for what is in flight.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Item : pageproof::convert::GpuItem {
  __device__ void barrier() const { __builtin_amdgcn_s_barrier(); }
};

PAGEPROOF_MUTANT_IN_PLACE(pageproof::convert::WordTarget, Item)
