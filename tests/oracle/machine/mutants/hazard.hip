// Mutant: a carry is read right behind the sum that made it.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Target : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static pageproof::convert::Words load(const unsigned char* address) {
#if defined(__AMDGCN__)
    const uint64_t whole = (uint64_t)address;
    uint32_t low, high;
    asm volatile("v_add_co_u32 %0, vcc, 0, %2\n v_addc_co_u32 %1, vcc, 0, %3, vcc"
                 : "=&v"(low), "=&v"(high)
                 : "v"((uint32_t)whole), "v"((uint32_t)(whole >> 32))
                 : "vcc");
    address = (const unsigned char*)((uint64_t)high << 32 | low);
#endif
    return WordTarget::load(address);
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(Target, pageproof::convert::GpuItem)
