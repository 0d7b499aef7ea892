// Every kernel that ships: three modes of twelve shapes. Compiled by clang into code objects for gfx90a,
// gfx942 and gfx950, and by nvcc as part of cuda.hip. Names: pageproof_<mode>_n<N>_d<D>_e<e>.
#include "kernels/convert/entry.hpp"

// What a workgroup has at most. On NVIDIA the bound also keeps the compiler to 128 registers.
#define PAGEPROOF_STAGED_WORK_ITEMS 512
#if defined(__HIP__)
#define PAGEPROOF_HELD_WORK_ITEMS 1024
#else
#define PAGEPROOF_HELD_WORK_ITEMS 512
#endif

// The names stand outside the namespace: modules look kernels up by them.
#define PAGEPROOF_SHAPE_KERNELS(N, D, E)                                                      \
  using Shape_##N##_##D##_##E = pageproof::convert::Geometry<N, D, E>;                        \
  PAGEPROOF_KERNEL(pageproof_out_of_place_n##N##_d##D##_e##E, Shape_##N##_##D##_##E,          \
                   pageproof::convert::WordTarget, pageproof::convert::Mode::out_of_place,    \
                   pageproof::convert::GpuItem, PAGEPROOF_STAGED_WORK_ITEMS)                  \
  PAGEPROOF_KERNEL(pageproof_in_place_staged_n##N##_d##D##_e##E, Shape_##N##_##D##_##E,       \
                   pageproof::convert::WordTarget, pageproof::convert::Mode::in_place_staged, \
                   pageproof::convert::GpuItem, PAGEPROOF_STAGED_WORK_ITEMS)                  \
  PAGEPROOF_KERNEL(pageproof_in_place_held_n##N##_d##D##_e##E, Shape_##N##_##D##_##E,         \
                   pageproof::convert::WordTarget, pageproof::convert::Mode::in_place_held,   \
                   pageproof::convert::GpuItem, PAGEPROOF_HELD_WORK_ITEMS)

PAGEPROOF_FOR_EACH_SHAPE(PAGEPROOF_SHAPE_KERNELS)
