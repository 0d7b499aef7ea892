// Stands in for the files cuda.hip where the build found no nvcc.
#include "kernels/convert/launch.hpp"
#include "kernels/convert/orders/orders_launch.hpp"

namespace pageproof::convert {

pageproof_status run_on_cuda(const pageproof_job&, Direction) {
  return PAGEPROOF_BACKEND_MISSING;
}

pageproof_status run_order_on_cuda(const pageproof_job&, Direction) {
  return PAGEPROOF_BACKEND_MISSING;
}

}  // namespace pageproof::convert
