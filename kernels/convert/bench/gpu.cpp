#include "kernels/convert/bench/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/convert/bench/bench.hpp"

namespace pageproof::convert::bench {

std::vector<pageproof_shape> shapes_in_scope() {
  std::vector<pageproof_shape> shapes;
  for (const std::uint32_t heads : {1u, 2u, 3u, 4u, 8u, 16u}) {
    for (const std::uint32_t tokens : {16u, 32u}) {
      for (const std::uint32_t head_dim : {64u, 128u, 256u}) {
        for (const std::uint32_t element_bytes : {1u, 2u}) {
          shapes.push_back({heads, tokens, head_dim, element_bytes});
        }
      }
    }
  }
  return shapes;
}

double GpuRow::share_of_limit() const {
  return std::min(copy, identity) / converter;
}

double GpuRow::share_of_pages() const {
  return std::min(pages, identity) / converter;
}

double allowed_seconds(double memcpy_seconds) {
  return memcpy_seconds + std::max(2e-6, memcpy_seconds / 10);
}

Expected<GpuReport> run_gpu_benchmark(const GpuOptions& options) {
  const auto refuse = [](const char* field, std::uint64_t value, std::uint64_t most) {
    return std::unexpected(
        Error{"bench gpu", field, std::to_string(value), fmt::format("not 1 to {}", most)});
  };
  if (options.repetitions < 1 || options.repetitions > kMostRepetitions) {
    return refuse("repetitions", options.repetitions, kMostRepetitions);
  }
  if (options.bytes < 1 || options.bytes > kMostGpuBytes)
    return refuse("bytes", options.bytes, kMostGpuBytes);
  GpuMeasured measured = measure_on_gpu(options);
  if (!measured.failure.empty()) {
    return std::unexpected(Error{"bench gpu", "device", "cuda", measured.failure});
  }
  return std::move(measured.report);
}

}  // namespace pageproof::convert::bench
