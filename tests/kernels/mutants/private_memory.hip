// Mutant: the kernel that holds 256 bytes of a page in registers is given 48 of them, so that it spills.
#include "kernels/convert/entry.hpp"

using Shape = pageproof::convert::Geometry<16, 128, 2>;
using HeldKernel = pageproof::convert::Kernel<Shape, pageproof::convert::WordTarget,
                                              pageproof::convert::Mode::in_place_held>;

extern "C" __global__ void __launch_bounds__(1024) __attribute__((amdgpu_num_vgpr(48)))
pageproof_private_memory(pageproof::convert::Arguments job) {
  pageproof::convert::run_work_item<HeldKernel>(job, pageproof::convert::GpuItem{pageproof_stage});
}
