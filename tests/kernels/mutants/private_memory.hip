// Mutant: tiles pass through memory of the work-item's own, which lies off chip, instead of staying in
// registers.
#include "kernels/convert/entry.hpp"

struct PrivateTarget : pageproof::convert::WordTarget {
  PAGEPROOF_INLINE static void transpose(pageproof::convert::Words (&rows)[8]) {
    volatile uint32_t copy[32];
    for (uint32_t i = 0; i < 32; ++i) copy[i] = rows[i / 4].word[i % 4];
    for (uint32_t i = 0; i < 32; ++i) rows[i / 4].word[i % 4] = copy[i];
    WordTarget::transpose(rows);
  }
};

using Shape = pageproof::convert::Geometry<16, 128, 2>;
PAGEPROOF_KERNEL(pageproof_private_memory, Shape, PrivateTarget, pageproof::convert::Mode::out_of_place,
                 pageproof::convert::GpuItem, 256)
