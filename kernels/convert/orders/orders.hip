// The kernels of the other orders that ship: two an element size, every shape, order, direction and rewrite
// at run time. Compiled by clang into code objects of their own for gfx90a, gfx942 and gfx950, and by nvcc as
// part of cuda.hip beside it. Names: pageproof_orders_<staged or held>_e<e>.
#include "kernels/convert/entry.hpp"
#include "kernels/convert/orders/kernel.hpp"
#include "kernels/convert/orders/orders_launch.hpp"

namespace pageproof::convert {
#if defined(__AMDGCN__)
inline constexpr OrderLimits kOrderLimits = kAmdOrderLimits;
#else
inline constexpr OrderLimits kOrderLimits = kNvidiaOrderLimits;
#endif
}  // namespace pageproof::convert

// The work-item is a parameter so that the mutants of the tests can break it.
#define PAGEPROOF_ORDER_KERNEL(NAME, E, HELD, ITEM, WORK_ITEMS)                                           \
  extern "C" __global__ void __launch_bounds__(WORK_ITEMS) NAME(pageproof::convert::OrderArguments job) { \
    using Kernel = pageproof::convert::OrderKernel<pageproof::convert::WordTarget, E, HELD,               \
                                                   pageproof::convert::kOrderLimits.held_stage_bytes>;    \
    pageproof::convert::run_order_item<Kernel>(job, ITEM{pageproof_stage});                               \
  }

#if !defined(PAGEPROOF_ORDERS_MUTANT)
PAGEPROOF_ORDER_KERNEL(pageproof_orders_staged_e1, 1, false, pageproof::convert::GpuItem,
                       pageproof::convert::kOrderLimits.staged_work_items)
PAGEPROOF_ORDER_KERNEL(pageproof_orders_staged_e2, 2, false, pageproof::convert::GpuItem,
                       pageproof::convert::kOrderLimits.staged_work_items)
PAGEPROOF_ORDER_KERNEL(pageproof_orders_held_e1, 1, true, pageproof::convert::GpuItem,
                       pageproof::convert::kOrderLimits.held_work_items)
PAGEPROOF_ORDER_KERNEL(pageproof_orders_held_e2, 2, true, pageproof::convert::GpuItem,
                       pageproof::convert::kOrderLimits.held_work_items)
#endif
