// Launches on NVIDIA devices: the kernels of convert.hip, compiled by nvcc into this file, on the CUDA
// runtime.
#include <map>
#include <mutex>
#include <set>
#include <utility>

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

// What is asked of the runtime once a device: whether workgroups form clusters there.
struct Device {
  pageproof_status status;
  bool has_clusters;
};

Device ask_device(int device) {
  int devices = 0;
  int major = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) {
    return {refused(PAGEPROOF_NO_DEVICE), false};
  }
  return {PAGEPROOF_OK, major >= 9};
}

std::mutex mutex;  // of the two functions below

// A failure is not kept: the next job asks again.
Device current_device(int device) {
  static std::map<int, Device> devices;
  const std::lock_guard lock(mutex);
  const auto known = devices.find(device);
  if (known != devices.end()) return known->second;
  const Device asked = ask_device(device);
  if (asked.status == PAGEPROOF_OK) devices.emplace(device, asked);
  return asked;
}

// More shared memory than 48 KiB is allowed to a kernel by name, once a device.
bool allow_stage(int device, const void* kernel) {
  static std::set<std::pair<int, const void*>> allowed;
  const std::lock_guard lock(mutex);
  if (allowed.contains({device, kernel})) return true;
  int most = 0;
  if (cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess ||
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most) != cudaSuccess) {
    return false;
  }
  allowed.emplace(device, kernel);
  return true;
}

}  // namespace

pageproof_status run_on_cuda(const pageproof_job& job, Direction direction) {
  int number = 0;
  if (cudaGetDevice(&number) != cudaSuccess) return refused(PAGEPROOF_NO_DEVICE);
  const Device device = current_device(number);
  if (device.status != PAGEPROOF_OK) return device.status;
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;

  Launch launch = plan_launch(job, direction, device.has_clusters ? kHopperLimits : kAmpereLimits);
  const void* kernel = kernel_for(launch.shape, launch.mode);
  if (!allow_stage(number, kernel)) return refused(PAGEPROOF_DEVICE_ERROR);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {1, launch.head_groups, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.block_groups(), launch.head_groups, launch.layers);
  config.blockDim = dim3(launch.work_items, launch.teams);
  config.dynamicSmemBytes = launch.stage_bytes;
  config.stream = static_cast<cudaStream_t>(job.stream);
  config.attrs = &cluster;
  config.numAttrs = direction == Direction::in_place && launch.head_groups > 1 ? 1 : 0;
  void* params[] = {&launch.arguments};
  const cudaError_t error = cudaLaunchKernelExC(&config, kernel, params);
  return error == cudaSuccess ? PAGEPROOF_OK : refused(PAGEPROOF_DEVICE_ERROR);
}

}  // namespace pageproof::convert
