// What a GPU kernel is made of: the work-item of a GPU, and the macro that defines one kernel around a shape.
//
//   grid   (block of the list, group of heads, layer); in place there is one group
#pragma once

#include "kernels/convert/kernel.hpp"
#include "kernels/convert/shapes.hpp"
#include "kernels/convert/words.hpp"

namespace pageproof::convert {

#if defined(__AMDGCN__)

// Ends the loads: no load is in flight when the barrier is reached. Without it clang lets loads of the page
// pass the barrier, and that a store of another work-item cannot overtake them would rest on the order in
// which the vector cache serves one workgroup. The operand is gfx9's encoding of vmcnt(0), all other counters
// untouched.
__device__ inline __attribute__((always_inline)) void drain_loads() {
  __builtin_amdgcn_s_waitcnt(0x0f70);
}

__device__ inline __attribute__((always_inline)) void workgroup_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

struct GpuItem {
  void* memory;
  __device__ uint32_t block_index() const { return __builtin_amdgcn_workgroup_id_x(); }
  __device__ uint32_t head_group() const { return __builtin_amdgcn_workgroup_id_y(); }
  __device__ uint32_t layer() const { return __builtin_amdgcn_workgroup_id_z(); }
  __device__ WorkItem work_item() const {
    return {__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workgroup_size_x()};
  }
  __device__ void* stage() const { return memory; }
  __device__ void barrier() const {
    drain_loads();
    workgroup_barrier();
  }
};
inline constexpr Limits kLimits = kAmdLimits;

#else

struct GpuItem {
  void* memory;
  __device__ uint32_t block_index() const { return blockIdx.x; }
  __device__ uint32_t head_group() const { return blockIdx.y; }
  __device__ uint32_t layer() const { return blockIdx.z; }
  __device__ WorkItem work_item() const { return {threadIdx.x, blockDim.x}; }
  __device__ void* stage() const { return memory; }
  __device__ void barrier() const { __syncthreads(); }
};
inline constexpr Limits kLimits = kNvidiaLimits;

#endif

}  // namespace pageproof::convert

extern __shared__ pageproof::convert::Words pageproof_stage[];

// One kernel. The work-item is a parameter so that the mutants of the tests can break it.
#define PAGEPROOF_KERNEL(NAME, GEOMETRY, TARGET, MODE, ITEM, WORK_ITEMS)                             \
  extern "C" __global__ void __launch_bounds__(WORK_ITEMS) NAME(pageproof::convert::Arguments job) { \
    pageproof::convert::run_work_item<pageproof::convert::Kernel<GEOMETRY, TARGET, MODE>>(           \
        job, ITEM{pageproof_stage});                                                                 \
  }
