// Mutant: the V plane is taken to have the K plane's block stride.
#include "tests/oracle/machine/mutants/mutant.hpp"

extern "C" __global__ void __launch_bounds__(512)
    pageproof_out_of_place_n16_d128_e2(pageproof::convert::Arguments job) {
  using namespace pageproof::convert;
  job.v_plane.block_stride = job.k_plane.block_stride;
  run_work_item<Kernel<MutantShape, WordTarget, Mode::out_of_place>>(job, GpuItem{pageproof_stage});
}
