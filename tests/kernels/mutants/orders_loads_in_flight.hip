// Mutant: in the kernels of the other orders, the barrier does not wait for the loads of the page.
#define PAGEPROOF_ORDERS_MUTANT
#include "kernels/convert/orders/orders.hip"

struct UndrainedItem : pageproof::convert::GpuItem {
  __device__ void barrier() const { pageproof::convert::workgroup_barrier(); }
};

PAGEPROOF_ORDER_KERNEL(pageproof_orders_loads_in_flight, 2, true, UndrainedItem, 1024)
