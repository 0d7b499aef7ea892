// What the converter is compared with on an NVIDIA device: kernels that move the same bytes and no element.
// Eight 16-byte loads of a work-item are in flight before its first store, which was the fastest of the plain
// copies tried (grid-stride loops with one or four, chunks with one, four or eight).
#pragma once

#include <cuda_runtime.h>

#include "kernels/convert/arguments.hpp"

namespace pageproof::convert::bench {

inline constexpr uint32_t kInFlight = 8;
inline constexpr uint32_t kMostWorkItems = 512;

// kBarrier: nothing is stored before all of the workgroup's loads are done, as in place. The loads are
// volatile so that none of them is delayed to its store.
template <bool kBarrier>
__device__ void move_granules(const uint4* from, uint4* to, uint32_t count) {
  uint4 held[kInFlight];
#pragma unroll
  for (uint32_t i = 0; i < kInFlight; ++i) {
    const uint32_t at = threadIdx.x + i * blockDim.x;
    if (at < count) {
      asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(held[i].x), "=r"(held[i].y), "=r"(held[i].z), "=r"(held[i].w)
                   : "l"(from + at));
    }
  }
  if (kBarrier) __syncthreads();
#pragma unroll
  for (uint32_t i = 0; i < kInFlight; ++i) {
    const uint32_t at = threadIdx.x + i * blockDim.x;
    if (at < count) to[at] = held[i];
  }
}

// Grid: chunks of kInFlight granules a work-item.
__global__ void __launch_bounds__(kMostWorkItems) copy(const uint4* from, uint4* to, uint64_t granules) {
  const uint64_t first = uint64_t{blockIdx.x} * blockDim.x * kInFlight;
  const uint64_t left = granules - first;
  const uint32_t chunk = blockDim.x * kInFlight;
  move_granules<false>(from + first, to + first, left < chunk ? static_cast<uint32_t>(left) : chunk);
}

// Grid: pieces of the halves of the listed blocks, layers. In place the half of a page is the plane's block.
template <bool kInPlace>
__global__ void __launch_bounds__(kMostWorkItems)
    move_pages(Arguments job, uint32_t half_granules, uint32_t piece_granules) {
  const uint32_t pieces = half_granules / piece_granules;
  const uint32_t first = blockIdx.x % pieces * piece_granules;
  const uint32_t half = blockIdx.x / pieces % 2;
  const uint64_t id = block_id(job.block_ids, job.id_bytes, blockIdx.x / pieces / 2);
  auto* to = reinterpret_cast<uint4*>(block_address(half ? job.v_plane : job.k_plane, blockIdx.y, id));
  const auto* page = reinterpret_cast<const uint4*>(block_address(job.standard, blockIdx.y, id));
  const uint4* from = kInPlace ? to : page + uint64_t{half} * half_granules;
  move_granules<kInPlace>(from + first, to + first, piece_granules);
}

// Keeps the stream busy while the host enqueues what is timed.
__global__ void wait_cycles(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

// Random contents: runs over zeros can be faster.
__global__ void fill(uint32_t* words, uint64_t count, uint32_t seed) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    uint32_t word = static_cast<uint32_t>(i) * 2654435761u ^ seed;
    word = (word ^ word >> 16) * 0x85ebca6bu;
    word = (word ^ word >> 13) * 0xc2b2ae35u;
    words[i] = word ^ word >> 16;
  }
}

}  // namespace pageproof::convert::bench
