// Stands in for gpu.hip where the build found no nvcc.
#include "kernels/convert/bench/measured.hpp"

namespace pageproof::convert::bench {

GpuMeasured measure_on_gpu(const GpuOptions&) {
  return {{}, "this build has no CUDA"};
}

}  // namespace pageproof::convert::bench
