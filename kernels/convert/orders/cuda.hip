// Launches of the other orders on NVIDIA devices: the kernels of orders.hip, compiled by nvcc into this file.
#include "kernels/convert/orders/orders.hip"

namespace pageproof::convert {
namespace {

const void* kernel_for(const OrderLaunch& launch) {
  if (launch.held) {
    return launch.element_bytes == 1 ? (const void*)pageproof_orders_held_e1
                                     : (const void*)pageproof_orders_held_e2;
  }
  return launch.element_bytes == 1 ? (const void*)pageproof_orders_staged_e1
                                   : (const void*)pageproof_orders_staged_e2;
}

// The runtime keeps its last error for cudaGetLastError; it is told here, so it is taken from there.
pageproof_status refused(pageproof_status status) {
  cudaGetLastError();
  return status;
}

}  // namespace

pageproof_status run_order_on_cuda(const pageproof_job& job, Direction direction) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return refused(PAGEPROOF_NO_DEVICE);
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;
  OrderLaunch launch = plan_order_launch(job, direction, kNvidiaOrderLimits);
  const void* kernel = kernel_for(launch);
  const auto stage_bytes = static_cast<int>(launch.stage_bytes);
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, stage_bytes) != cudaSuccess) {
    return refused(PAGEPROOF_DEVICE_ERROR);
  }
  void* params[] = {&launch.arguments};
  const dim3 grid(launch.blocks, launch.head_groups, launch.layers);
  const cudaError_t error = cudaLaunchKernel(kernel, grid, dim3(launch.work_items), params,
                                             launch.stage_bytes, static_cast<cudaStream_t>(job.stream));
  return error == cudaSuccess ? PAGEPROOF_OK : refused(PAGEPROOF_DEVICE_ERROR);
}

}  // namespace pageproof::convert
