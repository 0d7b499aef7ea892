// What a benchmark on a device is asked and what it measures. Plain types: nvcc reads them too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/convert/pageproof.h"

namespace pageproof::convert::bench {

inline constexpr std::uint32_t kLayers = 36;

// Every shape in scope: H in {1, 2, 3, 4, 8, 16} x N x D x e.
std::vector<pageproof_shape> shapes_in_scope();

struct GpuOptions {
  std::uint64_t bytes = 604'000'000;  // of pages a request, at least; as much again for the planes
  std::uint32_t repetitions = 11;
  std::vector<pageproof_shape> shapes = shapes_in_scope();
  std::vector<std::uint32_t> small_blocks{1, 4, 16, 64};  // a layer, of the small requests
};

// One request of one shape, in one direction. Seconds of one pass.
struct GpuRow {
  pageproof_shape shape;
  bool in_place;
  std::uint32_t blocks;  // a layer
  std::uint64_t bytes;   // of all pages: read once and written once
  double converter, memcpy, copy, identity, pages;

  double share_of_limit() const;  // of the better of copy and identity
  double share_of_pages() const;  // the same over this request's pages: of the better of pages and identity
};

// One small request: `cold` after the caches were swept, otherwise right after the same call.
struct GpuSmallRow {
  pageproof_shape shape;
  bool in_place;
  bool cold;
  std::uint32_t blocks;
  std::uint64_t bytes;
  double converter, memcpy;
};

struct GpuReport {
  std::string device;  // "NVIDIA H200, sm_90"
  std::string driver;  // "CUDA 13.0, runtime 13.0"
  std::vector<GpuRow> rows;
  std::vector<GpuSmallRow> small;
};

// `failure` is empty, or says what could not be had.
struct GpuMeasured {
  GpuReport report;
  std::string failure;
};

// gpu.hip; gpu_missing.cpp where the build has no nvcc. @pre the options are in their ranges.
GpuMeasured measure_on_gpu(const GpuOptions& options);

}  // namespace pageproof::convert::bench
