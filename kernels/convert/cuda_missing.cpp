// Stands in for cuda.hip where the build found no nvcc.
#include "kernels/convert/launch.hpp"

namespace pageproof::convert {

pageproof_status run_on_cuda(const pageproof_job&, Direction) {
  return PAGEPROOF_BACKEND_MISSING;
}

}  // namespace pageproof::convert
