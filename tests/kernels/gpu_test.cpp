// The kernels on a real NVIDIA device, through the C ABI, compared byte for byte with the contract's loops.
// Also a pool above 4 GiB, ids out of range, and jobs captured into a graph. Exit 0 all right, 1 not, 77 no
// device. How fast it is, `pageproof bench gpu` tells.
//
// Built by CMake where nvcc is; the program then runs wherever glibc 2.36 or later and a driver are. On a
// machine with nvcc, from the root of the sources:
//
//   nvcc -x cu -std=c++20 -O3 -arch=sm_90 -I. -c kernels/convert/cuda.hip -o cuda.o
//   nvcc -std=c++20 -O2 -I. -DPAGEPROOF_VERSION='"test"' tests/kernels/gpu_test.cpp tests/kernels/pages.cpp
//       $(ls kernels/convert/*.cpp | grep -v cuda_missing) cuda.o -o pageproof_gpu_test -ldl
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "tests/kernels/gpu_orders_test.hpp"
#include "tests/kernels/pages.hpp"

namespace {

using namespace pageproof;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// Device memory that is freed at the end of the scope.
class Device {
 public:
  explicit Device(std::uint64_t bytes) { check(cudaMalloc(&memory_, bytes + 256), "cudaMalloc"); }
  Device(const void* from, std::uint64_t bytes) : Device(bytes) {
    check(cudaMemcpy(memory_, from, bytes, cudaMemcpyHostToDevice), "copy to the device");
  }
  ~Device() { cudaFree(memory_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  unsigned char* data() const { return static_cast<unsigned char*>(memory_); }

 private:
  void* memory_ = nullptr;
};

// A table of bases, with every pointer into `arena` turned into one into `device`.
std::vector<void*> moved(void* const* bases, std::uint32_t layers, tests::Memory::Arena arena,
                         const Device& device) {
  std::vector<void*> table;
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    table.push_back(device.data() + (static_cast<unsigned char*>(bases[layer]) - arena.begin));
  }
  return table;
}

// The job as a graph: captured, which a host synchronisation or an allocation would refuse, and replayed. It
// must be one node.
pageproof_status replay(const pageproof_job& job, bool in_place) {
  const auto stream = static_cast<cudaStream_t>(job.stream);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of the capture");
  const pageproof_status status = in_place ? pageproof_convert_in_place(&job) : pageproof_convert(&job);
  check(cudaStreamEndCapture(stream, &graph), "end of the capture");
  std::size_t nodes = 0;
  check(cudaGraphGetNodes(graph, nullptr, &nodes), "nodes");
  if (nodes != 1) std::printf("%zu nodes in the graph of one job\n", nodes), std::exit(1);
  check(cudaGraphInstantiate(&executable, graph, 0), "graph");
  check(cudaGraphLaunch(executable, stream), "replay");
  check(cudaStreamSynchronize(stream), "the graph");
  check(cudaGraphExecDestroy(executable), "graph");
  check(cudaGraphDestroy(graph), "graph");
  return status;
}

// Empty when every byte is right.
std::string run(const tests::Case& c, bool in_place, bool captured, std::uint64_t seed) {
  const tests::Memory memory(c, in_place, seed);
  pageproof_job job = memory.job();
  const auto standard = memory.standard_arena(), planes = memory.plane_arena();
  const Device device_standard(standard.begin, standard.bytes), device_planes(planes.begin, planes.bytes);
  const std::uint64_t table_bytes = c.layers * sizeof(void*), id_bytes = job.id_count * job.id_bytes;
  const auto k = moved(job.k_plane.layer_bases, c.layers, planes, device_planes);
  const auto v = moved(job.v_plane.layer_bases, c.layers, planes, device_planes);
  const auto s = in_place ? k : moved(job.standard.layer_bases, c.layers, standard, device_standard);
  const Device k_table(k.data(), table_bytes), v_table(v.data(), table_bytes), s_table(s.data(), table_bytes);
  const Device ids(job.block_ids, id_bytes);
  const Device standard_ids(job.standard_block_ids ? job.standard_block_ids : job.block_ids, id_bytes);
  job.memory = PAGEPROOF_CUDA;
  job.block_ids = ids.data();
  job.standard_block_ids = standard_ids.data();
  job.k_plane.layer_bases = reinterpret_cast<void* const*>(k_table.data());
  job.v_plane.layer_bases = reinterpret_cast<void* const*>(v_table.data());
  job.standard.layer_bases = reinterpret_cast<void* const*>(s_table.data());

  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  job.stream = stream;
  const pageproof_status status = captured   ? replay(job, in_place)
                                  : in_place ? pageproof_convert_in_place(&job)
                                             : pageproof_convert(&job);
  check(cudaStreamSynchronize(stream), "the kernel");
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  if (status != PAGEPROOF_OK) return pageproof_status_text(status);
  tests::Bytes got(planes.bytes), source(standard.bytes);
  check(cudaMemcpy(got.data(), device_planes.data(), got.size(), cudaMemcpyDeviceToHost),
        "copy from the device");
  check(cudaMemcpy(source.data(), device_standard.data(), source.size(), cudaMemcpyDeviceToHost),
        "copy back");
  if (std::memcmp(source.data(), standard.begin, source.size()) != 0)
    return "the standard pages were written";
  return tests::difference(got, memory.expected());
}

struct Tally {
  int cases = 0;
  int wrong = 0;
};

// Every second seed as a graph.
int check_shapes() {
  std::map<std::string, Tally> groups;
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const tests::Case& c : tests::all_cases(seed)) {
      for (const bool in_place : {false, true}) {
        if (in_place && 2 * c.side_bytes() > PAGEPROOF_IN_PLACE_PAGE_BYTES) continue;
        Tally& tally =
            groups["N=" + std::to_string(c.shape.tokens) + " D=" + std::to_string(c.shape.head_dim) +
                   " e=" + std::to_string(c.shape.element_bytes) + (in_place ? " in place" : "")];
        ++tally.cases;
        const std::string difference = run(c, in_place, seed % 2 == 0, seed);
        if (difference.empty()) continue;
        ++tally.wrong;
        ++wrong;
        std::printf("%s%s: %s\n", tests::to_string(c).c_str(), in_place ? " in place" : "",
                    difference.c_str());
      }
    }
  }
  for (const auto& [name, tally] : groups) {
    std::printf("%-26s %3d cases, %d wrong\n", name.c_str(), tally.cases, tally.wrong);
  }
  return wrong;
}

// The kernel skips ids out of range, as the host would refuse them.
int check_bad_ids() {
  tests::Case c;
  c.plane_blocks = 4;
  c.standard_blocks = 3;
  c.block_ids = {3, -1, 0, 4, 1, 2};
  c.standard_block_ids = {0, 1, 3, 2, -5, 2};
  const std::string difference = run(c, false, false, 7);
  std::printf("ids out of range are skipped: %s\n", difference.empty() ? "ok" : difference.c_str());
  return difference.empty() ? 0 : 1;
}

// Small blocks, whose workgroups hold several: more blocks than they are multiples of, one id out of range.
int check_many_blocks() {
  int wrong = 0;
  for (const std::uint32_t heads : {1u, 2u, 3u, 16u}) {
    tests::Case c;
    c.shape = {heads, 16, 64, 1};
    c.layers = 2;
    c.plane_blocks = c.standard_blocks = 203;
    c.block_ids.clear();
    for (std::int64_t i = 0; i < 203; ++i) c.block_ids.push_back((i * 78 + 5) % 203);
    c.block_ids[100] = 1000;
    for (const bool in_place : {false, true}) {
      const std::string difference = run(c, in_place, false, heads);
      wrong += !difference.empty();
      if (!difference.empty()) std::printf("%s: %s\n", tests::to_string(c).c_str(), difference.c_str());
    }
  }
  std::printf("203 small blocks, one out of range: %d of 8 wrong\n", wrong);
  return wrong;
}

// Blocks on both sides of 4 GiB; only their own bytes are copied and compared.
int check_large_pool() {
  constexpr std::uint64_t kSide = 8ull * 16 * 128 * 2, kBlocks = 5ull * (1ull << 30) / kSide;
  const tests::Case one = [] {
    tests::Case c;
    c.shape = {8, 16, 128, 2};
    c.block_ids = {0, 1, 2};
    c.plane_blocks = c.standard_blocks = 3;
    return c;
  }();
  const tests::Memory memory(one, false, 9);
  const pageproof_job small = memory.job();
  const std::int64_t ids[3] = {131071, static_cast<std::int64_t>(kBlocks) - 1, 65536};
  const Device standard(2 * kSide * kBlocks), k(kSide * kBlocks), v(kSide * kBlocks);
  void* bases[3] = {standard.data(), k.data(), v.data()};
  const Device tables(bases, sizeof bases), device_ids(ids, sizeof ids);
  auto* table = reinterpret_cast<void* const*>(tables.data());
  for (int i = 0; i < 3; ++i) {
    const auto* page = static_cast<unsigned char*>(small.standard.layer_bases[0]) + i * 2 * kSide;
    check(cudaMemcpy(standard.data() + ids[i] * 2 * kSide, page, 2 * kSide, cudaMemcpyHostToDevice), "page");
  }
  pageproof_job job = small;
  job.memory = PAGEPROOF_CUDA;
  job.block_ids = job.standard_block_ids = device_ids.data();
  job.standard = {table, 2 * kSide, kBlocks, nullptr, 0};
  job.k_plane = {table + 1, kSide, kBlocks, nullptr, 0};
  job.v_plane = {table + 2, kSide, kBlocks, nullptr, 0};
  if (const auto status = pageproof_convert(&job)) return std::puts(pageproof_status_text(status)), 1;
  check(cudaDeviceSynchronize(), "the kernel");
  int wrong = 0;
  const auto& expected = memory.expected();
  const auto* begin = memory.plane_arena().begin;
  for (int i = 0; i < 3; ++i) {
    for (const bool is_value : {false, true}) {
      tests::Bytes got(kSide);
      const Device& plane = is_value ? v : k;
      check(cudaMemcpy(got.data(), plane.data() + ids[i] * kSide, kSide, cudaMemcpyDeviceToHost), "block");
      const auto* base =
          static_cast<unsigned char*>((is_value ? small.v_plane : small.k_plane).layer_bases[0]);
      wrong += std::memcmp(got.data(), expected.data() + (base - begin) + i * kSide, kSide) != 0;
    }
  }
  std::printf("planes of 5 GiB: %d of 6 blocks wrong\n", wrong);
  return wrong;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no device");
    return 77;
  }
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "properties");
  std::printf("%s, sm_%d%d\n", properties.name, properties.major, properties.minor);
  const int wrong = check_shapes() + check_bad_ids() + check_many_blocks() + check_large_pool() +
                    tests::wrong_orders_on_the_device();
  std::puts(wrong == 0 ? "PASSED" : "FAILED");
  return wrong == 0 ? 0 : 1;
}
