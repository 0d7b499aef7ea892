// How fast the converter is on an NVIDIA device, beside what else moves the same bytes there in the same run:
//
//   memcpy    cudaMemcpyAsync from device to device
//   copy      a plain copy kernel over two buffers: 16-byte loads, then 16-byte stores
//   identity  in place, page by page: 16-byte loads, barrier, 16-byte stores, nothing moved
//   pages     the copy kernel, page by page in the request's order, nothing shuffled
//
//   auto report = bench::run_gpu_benchmark({.bytes = 604'000'000});
//
// A request has 36 layers and block ids in random order; it is one launch. All times are medians by device
// events; the repetitions of a shape take turns in random order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/convert/bench/measured.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::convert::bench {

inline constexpr std::uint64_t kMostGpuBytes = 1ull << 35;

// Prints nothing. An Error where an option is out of its range, where there is no device or no CUDA in this
// build, and where the device refuses something (its own words).
Expected<GpuReport> run_gpu_benchmark(const GpuOptions& options);

// A small request is as fast as a copy if it takes at most this much more: 2 us or 10 %.
double allowed_seconds(double memcpy_seconds);

}  // namespace pageproof::convert::bench
