// Mutant: the barrier does not wait for the loads of the page.
#include "kernels/convert/entry.hpp"

struct UndrainedItem : pageproof::convert::GpuItem {
  __device__ void barrier() const { pageproof::convert::workgroup_barrier(); }
};

using Shape = pageproof::convert::Geometry<16, 128, 2>;
PAGEPROOF_KERNEL(pageproof_loads_in_flight, Shape, pageproof::convert::WordTarget,
                 pageproof::convert::Mode::in_place_staged, UndrainedItem, 512)
