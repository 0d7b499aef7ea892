// One request in a device's memory, and the ways to move its bytes: the converter's and the references'.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

#include "kernels/convert/bench/measured.hpp"
#include "kernels/convert/bench/references.hpp"

namespace pageproof::convert::bench {

// Stays in this room: measure_on_gpu turns it into its failure.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw Refused(std::string(what) + ": " + cudaGetErrorString(error));
}

class Memory {
 public:
  explicit Memory(std::uint64_t bytes) : bytes_(bytes) { check(cudaMalloc(&data_, bytes), "memory"); }
  ~Memory() { cudaFree(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  unsigned char* data() const { return static_cast<unsigned char*>(data_); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::uint64_t bytes_;
};

inline std::uint64_t page_bytes(const pageproof_shape& shape) {
  return 2ull * shape.heads * shape.tokens * shape.head_dim * shape.element_bytes;
}

inline std::uint32_t blocks_for(const pageproof_shape& shape, std::uint64_t bytes) {
  const std::uint64_t layer = page_bytes(shape) * kLayers;
  return static_cast<std::uint32_t>((bytes + layer - 1) / layer);
}

// The device's memory for one request: standard pages, planes, and the tables that a job points to.
class Request {
 public:
  Request(const pageproof_shape& shape, std::uint32_t blocks, const Memory& standard, const Memory& planes,
          const Memory& tables)
      : bytes(page_bytes(shape) * blocks * kLayers), standard_(standard.data()), planes_(planes.data()) {
    const std::uint64_t side = page_bytes(shape) / 2;
    std::vector<void*> bases;
    for (const std::uint64_t plane : {0, 1, 2}) {  // standard, K, V: K and V planes of a layer side by side
      unsigned char* pool = plane == 0 ? standard_ : planes_ + (plane - 1) * blocks * side;
      for (std::uint64_t layer = 0; layer < kLayers; ++layer)
        bases.push_back(pool + layer * blocks * 2 * side);
    }
    std::vector<std::int64_t> ids(blocks);
    std::iota(ids.begin(), ids.end(), 0);
    std::shuffle(ids.begin(), ids.end(), std::mt19937(1));
    unsigned char* id_list = tables.data() + bases.size() * sizeof(void*);
    check(cudaMemcpy(tables.data(), bases.data(), bases.size() * sizeof(void*), cudaMemcpyHostToDevice),
          "tables");
    check(cudaMemcpy(id_list, ids.data(), ids.size() * sizeof ids[0], cudaMemcpyHostToDevice), "block ids");
    auto* table = reinterpret_cast<void* const*>(tables.data());
    job.struct_bytes = sizeof job;
    job.memory = PAGEPROOF_CUDA;
    job.shape = shape;
    job.layers = kLayers;
    job.id_bytes = sizeof ids[0];
    job.id_count = blocks;
    job.block_ids = id_list;
    job.standard = {table, 2 * side, blocks, nullptr, 0};
    job.k_plane = {table + kLayers, side, blocks, nullptr, 0};
    job.v_plane = {table + 2 * kLayers, side, blocks, nullptr, 0};
  }

  void convert(bool in_place) const {
    const auto status = in_place ? pageproof_convert_in_place(&job) : pageproof_convert(&job);
    if (status != PAGEPROOF_OK) throw Refused(pageproof_status_text(status));
  }
  void memcpy() const {
    check(cudaMemcpyAsync(planes_, standard_, bytes, cudaMemcpyDeviceToDevice), "cudaMemcpyAsync");
  }
  void copy() const {
    const std::uint64_t granules = bytes / 16, chunk = kMostWorkItems * kInFlight;
    bench::copy<<<static_cast<unsigned>((granules + chunk - 1) / chunk), kMostWorkItems>>>(
        reinterpret_cast<const uint4*>(standard_), reinterpret_cast<uint4*>(planes_), granules);
  }
  template <bool kInPlace>
  void move_pages() const {
    const auto half = static_cast<std::uint32_t>(page_bytes(job.shape) / 32);
    std::uint32_t piece = std::min(half, kMostWorkItems * kInFlight);
    while (half % piece != 0) --piece;
    Arguments arguments{};
    arguments.standard = job.standard;
    arguments.k_plane = job.k_plane;
    arguments.v_plane = job.v_plane;
    arguments.block_ids = job.block_ids;
    arguments.id_bytes = job.id_bytes;
    const dim3 grid(static_cast<unsigned>(half / piece * 2 * job.id_count), kLayers);
    bench::move_pages<kInPlace>
        <<<grid, std::max(32u, (piece + kInFlight - 1) / kInFlight)>>>(arguments, half, piece);
  }

  const std::uint64_t bytes;
  pageproof_job job{};

 private:
  unsigned char* standard_;
  unsigned char* planes_;
};

}  // namespace pageproof::convert::bench
