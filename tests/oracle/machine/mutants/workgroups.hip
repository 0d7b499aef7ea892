// Mutant: every two workgroups convert the same block.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Item : pageproof::convert::GpuItem {
  __device__ uint32_t block_index() const { return __builtin_amdgcn_workgroup_id_x() / 2 * 2; }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(pageproof::convert::WordTarget, Item)
