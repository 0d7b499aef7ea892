// Mutant: every layer is read from the first, where the pages' layers are not in a table.
#include "tests/oracle/machine/mutants/mutant.hpp"

extern "C" __global__ void __launch_bounds__(512)
    pageproof_out_of_place_n16_d128_e2(pageproof::convert::Arguments job) {
  using namespace pageproof::convert;
  job.standard.layer_stride = 0;
  run_work_item<Kernel<MutantShape, WordTarget, Mode::out_of_place>>(job, GpuItem{pageproof_stage});
}
