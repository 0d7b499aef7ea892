// A libamdhip64 whose device is this machine: device memory is host memory, and a launch of one of the
// converter's kernels is the CPU converter on the same arguments. So what runs on an AMD device is tested
// here up to the code of the kernels, which `pageproof prove-code` executes.
//
// FAKE_AMD_FAULT names one thing that goes wrong: no_device, launch, wrong_byte (of the last block of every
// in-place launch), unlisted (a byte of a block that no launch lists).
#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "kernels/convert/arguments.hpp"
#include "kernels/convert/pageproof.h"

namespace {

using pageproof::convert::Arguments;
using Clock = std::chrono::steady_clock;

constexpr int kRefused = 719;  // hipErrorLaunchFailure

bool fault(const char* name) {
  const char* wanted = std::getenv("FAKE_AMD_FAULT");
  return wanted != nullptr && std::strcmp(wanted, name) == 0;
}

std::map<void*, std::size_t>& allocations() {
  static std::map<void*, std::size_t> all;
  return all;
}

// Changes a byte that the launch wrote, or one beside what it wrote.
void spoil(const pageproof_job& job) {
  const auto* ids = static_cast<const unsigned char*>(job.block_ids);
  std::uint64_t last = 0;
  std::memcpy(&last, ids + (job.id_count - 1) * job.id_bytes, job.id_bytes);
  auto* plane = static_cast<unsigned char*>(job.v_plane.base);
  if (fault("wrong_byte")) plane[last * job.v_plane.block_stride + 5] ^= 1;
  if (fault("unlisted")) {
    for (std::uint64_t block = 0; block < job.v_plane.num_blocks; ++block) {
      bool listed = false;
      for (std::uint64_t i = 0; i < job.id_count; ++i) {
        std::uint64_t id = 0;
        std::memcpy(&id, ids + i * job.id_bytes, job.id_bytes);
        listed = listed || id == block;
      }
      if (listed) continue;
      plane[block * job.v_plane.block_stride] ^= 1;
      return;
    }
  }
}

}  // namespace

extern "C" {

int hipGetDeviceCount(int* count) {
  *count = fault("no_device") ? 0 : 1;
  return 0;
}
int hipGetDevice(int* device) {
  *device = 0;
  return 0;
}
int hipGetDevicePropertiesR0600(void* properties, int) {
  std::strcpy(static_cast<char*>(properties) + 1160, "gfx942:sramecc+:xnack-");
  return 0;
}
int hipDeviceGetName(char* name, int bytes, int) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "a CPU that stands in for an AMD device");
  return 0;
}
int hipRuntimeGetVersion(int* version) {
  *version = 60300000;
  return 0;
}
int hipDriverGetVersion(int* version) {
  *version = 60300000;
  return 0;
}
int hipGetLastError() {
  return 0;
}
const char* hipGetErrorString(int) {
  return "unspecified launch failure";
}

// Pages of it exist once they are written to, so that a pool of many GiB costs nothing.
int hipMalloc(void** memory, std::size_t bytes) {
  *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (*memory == MAP_FAILED) return 2;
  allocations()[*memory] = bytes;
  return 0;
}
int hipFree(void* memory) {
  munmap(memory, allocations()[memory]);
  allocations().erase(memory);
  return 0;
}
int hipMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 38;
  return 0;
}
int hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int, void*) {
  std::memcpy(to, from, bytes);
  return 0;
}
int hipStreamCreate(void** stream) {
  *stream = nullptr;
  return 0;
}
int hipStreamDestroy(void*) {
  return 0;
}
int hipStreamSynchronize(void*) {
  return 0;
}
int hipEventCreate(void** event) {
  *event = new Clock::time_point;
  return 0;
}
int hipEventDestroy(void* event) {
  delete static_cast<Clock::time_point*>(event);
  return 0;
}
int hipEventRecord(void* event, void*) {
  *static_cast<Clock::time_point*>(event) = Clock::now();
  return 0;
}
int hipEventSynchronize(void*) {
  return 0;
}
int hipEventElapsedTime(float* milliseconds, void* from, void* to) {
  const auto& begin = *static_cast<Clock::time_point*>(from);
  const auto& end = *static_cast<Clock::time_point*>(to);
  *milliseconds = std::chrono::duration<float, std::milli>(end - begin).count();
  return 0;
}

int hipModuleLoadData(void** module, const void*) {
  static int loaded;
  *module = &loaded;
  return 0;
}
int hipModuleGetFunction(void** function, void*, const char* name) {
  static std::map<std::string, std::string> names;
  *function = &(names[name] = name);
  return 0;
}
int hipModuleLaunchKernel(void* function, unsigned, unsigned, unsigned layers, unsigned, unsigned, unsigned,
                          unsigned, void*, void** params, void**) {
  if (fault("launch")) return kRefused;
  const std::string& name = *static_cast<const std::string*>(function);
  pageproof_job job{};
  const std::size_t shape = name.find("_n");
  if (shape == std::string::npos || std::sscanf(name.c_str() + shape, "_n%u_d%u_e%u", &job.shape.tokens,
                                                &job.shape.head_dim, &job.shape.element_bytes) != 3) {
    return kRefused;
  }
  const Arguments& arguments = *static_cast<const Arguments*>(params[0]);
  job.struct_bytes = sizeof job;
  job.memory = PAGEPROOF_HOST;
  job.shape.heads = arguments.heads;
  job.layers = layers;
  job.id_bytes = arguments.id_bytes;
  job.id_count = arguments.blocks;
  job.block_ids = arguments.block_ids;
  job.standard_block_ids = arguments.standard_block_ids;
  job.standard = arguments.standard;
  job.k_plane = arguments.k_plane;
  job.v_plane = arguments.v_plane;
  const bool in_place = name.find("in_place") != std::string::npos;
  const pageproof_status status = in_place ? pageproof_convert_in_place(&job) : pageproof_convert(&job);
  if (status != PAGEPROOF_OK) return kRefused;
  spoil(job);
  return 0;
}
}
