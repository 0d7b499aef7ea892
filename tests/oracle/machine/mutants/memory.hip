// Mutant: tiles pass through memory of the work-item's own, which is scratch.
#include "tests/oracle/machine/mutants/mutant.hpp"

struct Target : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static void transpose(pageproof::convert::Words (&rows)[8]) {
    volatile uint32_t copy[32];
    for (uint32_t i = 0; i < 32; ++i) copy[i] = rows[i / 4].word[i % 4];
    for (uint32_t i = 0; i < 32; ++i) rows[i / 4].word[i % 4] = copy[i];
    WordTarget::transpose(rows);
  }
};

PAGEPROOF_MUTANT_OUT_OF_PLACE(Target, pageproof::convert::GpuItem)
