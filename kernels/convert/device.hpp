// The one place that knows which compiler reads the kernels. Everything else is written against these names:
//
//   PAGEPROOF_INLINE    a function of the kernel, inlined; runs on the device and on the host
//   PAGEPROOF_OUTLINE   the same, but on the CPU it stands once instead of in every kernel (sanitizers build
//   in time) PAGEPROOF_UNROLL    before a loop of few rounds: all of them are written out PAGEPROOF_GLOBAL a
//   pointer into device memory (AMD: global_load, never flat_load) PAGEPROOF_UNIFORM   a pointer to values
//   that are the same for a whole workgroup (AMD: s_load)
//
// Three readers: clang -x hip (AMD), nvcc -x cu (NVIDIA), any C++20 compiler (CPU).
#pragma once

#include <stdint.h>

#if defined(__HIP__)
#if defined(PAGEPROOF_NO_HIP_HEADERS)
// HIP's keywords on clang's builtins: device code then needs no ROCm installation (flags:
// cmake/AmdCodeObjects.cmake).
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((amdgpu_flat_work_group_size(1, n)))
#else
#include <hip/hip_runtime.h>
#endif
#elif defined(__CUDACC__)
#include <cuda_runtime.h>
#endif

#if defined(__HIP__) || defined(__CUDACC__)
#define PAGEPROOF_INLINE __host__ __device__ inline __attribute__((always_inline))
#define PAGEPROOF_OUTLINE PAGEPROOF_INLINE
#else
#define PAGEPROOF_INLINE inline __attribute__((always_inline))
#define PAGEPROOF_OUTLINE inline __attribute__((noinline))
#endif

#if defined(PAGEPROOF_ROLLED)
#define PAGEPROOF_UNROLL  // sanitizer builds: instrumented code written out 16 times takes minutes to compile
#elif defined(__clang__) || defined(__CUDA_ARCH__)
#define PAGEPROOF_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define PAGEPROOF_UNROLL  // nvcc's pass for the host
#else
#define PAGEPROOF_UNROLL _Pragma("GCC unroll 16")
#endif

#if defined(__AMDGCN__)
#define PAGEPROOF_GLOBAL __attribute__((address_space(1)))
#define PAGEPROOF_UNIFORM __attribute__((address_space(4)))
#else
#define PAGEPROOF_GLOBAL
#define PAGEPROOF_UNIFORM
#endif
