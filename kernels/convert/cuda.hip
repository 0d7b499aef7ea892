// Launches on NVIDIA devices: the kernels of convert.hip, compiled by nvcc into this file, on the CUDA
// runtime.
#include "kernels/convert/convert.hip"
#include "kernels/convert/launch.hpp"

namespace pageproof::convert {
namespace {

const void* kernel_for(const pageproof_shape& shape, Mode mode) {
#define PAGEPROOF_TRY(N, D, E)                                                                           \
  if (shape.tokens == N && shape.head_dim == D && shape.element_bytes == E) {                            \
    if (mode == Mode::out_of_place) return (const void*)pageproof_out_of_place_n##N##_d##D##_e##E;       \
    if (mode == Mode::in_place_staged) return (const void*)pageproof_in_place_staged_n##N##_d##D##_e##E; \
    return (const void*)pageproof_in_place_held_n##N##_d##D##_e##E;                                      \
  }
  PAGEPROOF_FOR_EACH_SHAPE(PAGEPROOF_TRY)
#undef PAGEPROOF_TRY
  return nullptr;
}

// The runtime keeps its last error for cudaGetLastError; it is told here, so it is taken from there.
pageproof_status refused(pageproof_status status) {
  cudaGetLastError();
  return status;
}

}  // namespace

pageproof_status run_on_cuda(const pageproof_job& job, Direction direction) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return refused(PAGEPROOF_NO_DEVICE);
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;

  Launch launch = plan_launch(job, direction, kNvidiaLimits);
  const void* kernel = kernel_for(launch.shape, launch.mode);
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
