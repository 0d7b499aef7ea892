// The other orders on a real NVIDIA device: every case of orders_test, tables and base with stride, out of
// place and in place, every byte of both arenas. Run by gpu_test's program.
#include "tests/kernels/gpu_orders_test.hpp"

#include <cuda_runtime.h>

#include <cstdio>

#include "tests/kernels/pages.hpp"

namespace pageproof::tests {
namespace {

// A copy of host bytes on the device.
class DeviceBytes {
 public:
  DeviceBytes(const void* from, std::uint64_t bytes) : bytes_(bytes) {
    if (bytes_ == 0 || cudaMalloc(&data_, bytes_) != cudaSuccess) return;
    cudaMemcpy(data_, from, bytes_, cudaMemcpyHostToDevice);
  }
  ~DeviceBytes() { cudaFree(data_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  unsigned char* data() const { return static_cast<unsigned char*>(data_); }
  Bytes bytes() const {
    Bytes copy(bytes_);
    cudaMemcpy(copy.data(), data_, bytes_, cudaMemcpyDeviceToHost);
    return copy;
  }

 private:
  void* data_ = nullptr;
  std::uint64_t bytes_;
};

// The same pool on the device: its bases point into the copy of the arena, and a table lies there too.
struct DevicePool {
  std::vector<void*> bases;
  DeviceBytes table;
  pageproof_pool pool;

  static std::vector<void*> moved(const pageproof_pool& from, std::uint32_t layers,
                                  const Memory::Arena& arena, const DeviceBytes& copy) {
    std::vector<void*> all;
    for (std::uint32_t layer = 0; from.layer_bases != nullptr && layer < layers; ++layer) {
      all.push_back(copy.data() + (static_cast<unsigned char*>(from.layer_bases[layer]) - arena.begin));
    }
    return all;
  }
  DevicePool(const pageproof_pool& from, std::uint32_t layers, const Memory::Arena& arena,
             const DeviceBytes& copy)
      : bases(moved(from, layers, arena, copy)),
        table(bases.data(), bases.size() * sizeof(void*)),
        pool(from) {
    if (from.layer_bases != nullptr) {
      pool.layer_bases = reinterpret_cast<void**>(table.data());
    } else if (from.base != nullptr) {
      pool.base = copy.data() + (static_cast<unsigned char*>(from.base) - arena.begin);
    }
  }
};

std::string run(const Case& c, bool in_place) {
  const Memory memory(c, in_place, 41);
  const Memory::Arena standard = memory.standard_arena(), planes = memory.plane_arena();
  const DeviceBytes standard_copy(standard.begin, standard.bytes), plane_copy(planes.begin, planes.bytes);
  pageproof_job job = memory.job();
  const DevicePool pages(job.standard, c.layers, standard, standard_copy);
  const DevicePool k(job.k_plane, c.layers, planes, plane_copy), v(job.v_plane, c.layers, planes, plane_copy);
  const DeviceBytes ids(job.block_ids, job.id_count * job.id_bytes);
  const DeviceBytes page_ids(job.standard_block_ids,
                             job.standard_block_ids == nullptr ? 0 : job.id_count * job.id_bytes);
  job.memory = PAGEPROOF_CUDA;
  job.standard = pages.pool;
  job.k_plane = k.pool;
  job.v_plane = v.pool;
  job.block_ids = ids.data();
  job.standard_block_ids = page_ids.data();
  const pageproof_status status = in_place ? pageproof_convert_in_place(&job) : pageproof_convert(&job);
  if (status != PAGEPROOF_OK) return pageproof_status_text(status);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess)
    return cudaGetErrorString(error);
  if (std::string found = difference(plane_copy.bytes(), memory.expected()); !found.empty()) {
    return "planes: " + found;
  }
  const std::string found = difference(standard_copy.bytes(), memory.expected_standard());
  return found.empty() ? found : "pages: " + found;
}

}  // namespace

int wrong_orders_on_the_device() {
  int cases = 0, wrong = 0;
  for (Case c : all_order_cases(11)) {
    for (const bool in_place : {false, true}) {
      if (in_place && 2 * c.side_bytes() > PAGEPROOF_IN_PLACE_PAGE_BYTES) continue;
      c.base_and_stride = cases % 2 == 1;
      ++cases;
      const std::string found = run(c, in_place);
      if (found.empty()) continue;
      ++wrong;
      std::printf("%s%s: %s\n", to_string(c).c_str(), in_place ? " in place" : "", found.c_str());
    }
  }
  std::printf("other orders: %d cases, %d wrong\n", cases, wrong);
  return cases == 0 ? 1 : wrong;
}

}  // namespace pageproof::tests
