// Mutant: loads that nobody waits for.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Target : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static pageproof::convert::Words load(const unsigned char* address) {
#if defined(__AMDGCN__)
    using Vector = uint32_t __attribute__((ext_vector_type(4)));
    Vector v;
    asm volatile("global_load_dwordx4 %0, %1, off" : "=&v"(v) : "v"(address));
    return pageproof::convert::Words{{ v.x, v.y, v.z, v.w }};
#else
    return WordTarget::load(address);
#endif
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(Target, pageproof::convert::GpuItem)
