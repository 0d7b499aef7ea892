// What a GPU kernel is made of: the work-item of a GPU, and the macro that defines one kernel around a shape.
//
//   grid       (blocks of the list, as many a workgroup as it has teams; group of heads; layer)
//   workgroup  (work-items of a team, teams)
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
  // A workgroup is one team: where its block lies is then the same for all lanes.
  __device__ uint32_t team() const { return 0; }
  __device__ WorkItem work_item() const {
    return {__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workgroup_size_x()};
  }
  __device__ void* stage() const { return memory; }
  __device__ void barrier() const {
    drain_loads();
    workgroup_barrier();
  }
  __device__ void stage_barrier() const { workgroup_barrier(); }
  template <class Kernel>
  __device__ void fetch_ahead(const Arguments&) const {}
};

#else

// Workgroups that the launch put on neighbouring multiprocessors, where a page needs the stages of several
// (sm_90 and later). A work-item stages what it loaded before it arrives, so no load is in flight then.
__device__ inline uint32_t cluster_workgroups() {
  uint32_t count = 1;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
#endif
  return count;
}

// One fence a workgroup, for all that its work-items did before __syncthreads.
__device__ inline void cluster_barrier() {
  __syncthreads();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (threadIdx.x == 0 && threadIdx.y == 0) asm volatile("fence.acq_rel.cluster;" ::: "memory");
  asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait.acquire;" ::: "memory");
#endif
}

// Measured on an H200: 2 and 4 MiB are alike, 1 MiB gains a little less, 8 MiB and more lose.
inline constexpr uint32_t kAheadBytes = 2 * 1024 * 1024;

struct GpuItem {
  void* memory;
  __device__ uint32_t block_index() const { return blockIdx.x * blockDim.y + threadIdx.y; }
  __device__ uint32_t head_group() const { return blockIdx.y; }
  __device__ uint32_t layer() const { return blockIdx.z; }
  __device__ uint32_t team() const { return threadIdx.y; }
  __device__ WorkItem work_item() const { return {threadIdx.x, blockDim.x}; }
  __device__ void* stage() const { return memory; }
  __device__ void barrier() const {
    if (cluster_workgroups() > 1) {
      cluster_barrier();
    } else {
      __syncthreads();
    }
  }
  __device__ void stage_barrier() const { __syncthreads(); }

  // One work-item a team asks the L2 for what the team kAheadBytes later reads: its loads then find it there,
  // and memory serves whole blocks instead of what happens to be in flight. Not for clusters, which it
  // slowed.
  template <class Kernel>
  __device__ void fetch_ahead(const Arguments& job) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const uint32_t group_bytes = blockDim.y * job.staged_heads * Kernel::G::kHeadBytes;
    const uint64_t launch_bytes = uint64_t{gridDim.x} * gridDim.y * gridDim.z * group_bytes;
    if (threadIdx.x != 0 || cluster_workgroups() > 1 || launch_bytes < kLargeLaunchBytes) return;
    const uint32_t x = blockIdx.x + kAheadBytes / group_bytes;
    const uint32_t y = blockIdx.y + x / gridDim.x;
    const uint32_t later = blockIdx.z + y / gridDim.y;
    const uint32_t index = x % gridDim.x * blockDim.y + threadIdx.y;
    Place place{};
    if (later >= gridDim.z ||
        !locate<Kernel::kInPlace>(job, index, later, Kernel::side_bytes(job.heads), place))
      return;
    const Heads heads = Kernel::heads_of(job, y % gridDim.y);
    Kernel::for_each_run(place, job.heads, heads, [](const unsigned char* begin, uint64_t bytes) {
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin),
                   "r"(static_cast<uint32_t>(bytes))
                   : "memory");
    });
#else
    (void)job;
#endif
  }
};

#endif

}  // namespace pageproof::convert

extern __shared__ pageproof::convert::Words pageproof_stage[];

// One kernel. The work-item is a parameter so that the mutants of the tests can break it.
#define PAGEPROOF_KERNEL(NAME, GEOMETRY, TARGET, MODE, ITEM, WORK_ITEMS)                             \
  extern "C" __global__ void __launch_bounds__(WORK_ITEMS) NAME(pageproof::convert::Arguments job) { \
    pageproof::convert::run_work_item<pageproof::convert::Kernel<GEOMETRY, TARGET, MODE>>(           \
        job, ITEM{pageproof_stage});                                                                 \
  }
