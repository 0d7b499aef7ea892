#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>

#include "kernels/convert/bench/measured.hpp"
#include "kernels/convert/bench/references.hpp"

namespace pageproof::convert::bench {
namespace {

constexpr std::uint64_t kSweptBytes = 256 * 1024 * 1024;  // several times any L2

// Stays in this file: measure_on_gpu turns it into its failure.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void check(cudaError_t error, const char* what) {
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

std::uint64_t page_bytes(const pageproof_shape& shape) {
  return 2ull * shape.heads * shape.tokens * shape.head_dim * shape.element_bytes;
}

std::uint32_t blocks_for(const pageproof_shape& shape, std::uint64_t bytes) {
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

// Something to be timed, and what is enqueued before its clock starts.
struct Turn {
  std::function<void()> prepare;
  std::function<void()> work;
};

// Median seconds of each turn. The repetitions take turns in random order; the first round warms up.
std::vector<double> time_in_turns(const std::vector<Turn>& turns, std::uint32_t repetitions) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  std::vector<std::vector<float>> all(turns.size());
  std::vector<std::size_t> order(turns.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(7);
  for (std::uint32_t round = 0; round <= repetitions; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t turn : order) {
      turns[turn].prepare();
      check(cudaEventRecord(begin), "event");
      turns[turn].work();
      check(cudaGetLastError(), "launch");
      check(cudaEventRecord(end), "event");
      check(cudaEventSynchronize(end), "the device");
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin, end), "event");
      if (round > 0) all[turn].push_back(milliseconds);
    }
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::vector<double> medians;
  for (std::vector<float>& times : all) {
    std::sort(times.begin(), times.end());
    medians.push_back(times[times.size() / 2] / 1e3);
  }
  return medians;
}

bool fits_in_place(const pageproof_shape& shape) {
  return page_bytes(shape) <= PAGEPROOF_IN_PLACE_PAGE_BYTES;
}

void measure_large(const Request& request, std::uint32_t repetitions, GpuReport& report) {
  const auto nothing = [] {};
  std::vector<Turn> turns{{nothing, [&] { request.memcpy(); }},
                          {nothing, [&] { request.copy(); }},
                          {nothing, [&] { request.move_pages<true>(); }},
                          {nothing, [&] { request.move_pages<false>(); }},
                          {nothing, [&] { request.convert(false); }}};
  if (fits_in_place(request.job.shape)) turns.push_back({nothing, [&] { request.convert(true); }});
  const std::vector<double> seconds = time_in_turns(turns, repetitions);
  for (std::size_t turn = 4; turn < turns.size(); ++turn) {
    report.rows.push_back({request.job.shape, turn == 5, static_cast<std::uint32_t>(request.job.id_count),
                           request.bytes, seconds[turn], seconds[0], seconds[1], seconds[2], seconds[3]});
  }
}

void measure_small(const Request& request, const Memory& swept, std::uint32_t repetitions,
                   GpuReport& report) {
  for (const bool cold : {false, true}) {
    const auto turn = [&](std::function<void()> work) -> Turn {
      return {[&swept, cold, work] {
                if (cold) {
                  check(cudaMemsetAsync(swept.data(), 1, swept.bytes()), "sweep");
                } else {
                  work();
                  wait_cycles<<<1, 1>>>(40'000);
                }
              },
              work};
    };
    std::vector<Turn> turns{turn([&] { request.memcpy(); }), turn([&] { request.convert(false); })};
    if (fits_in_place(request.job.shape)) turns.push_back(turn([&] { request.convert(true); }));
    const std::vector<double> seconds = time_in_turns(turns, repetitions);
    for (std::size_t i = 1; i < turns.size(); ++i) {
      report.small.push_back({request.job.shape, i == 2, cold,
                              static_cast<std::uint32_t>(request.job.id_count), request.bytes, seconds[i],
                              seconds[0]});
    }
  }
}

void name_device(GpuReport& report) {
  int device = 0, driver = 0, runtime = 0;
  cudaDeviceProp properties;
  check(cudaGetDevice(&device), "device");
  check(cudaGetDeviceProperties(&properties, device), "device");
  check(cudaDriverGetVersion(&driver), "driver");
  check(cudaRuntimeGetVersion(&runtime), "runtime");
  const auto version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  };
  report.device = std::string(properties.name) + ", sm_" + std::to_string(properties.major) +
                  std::to_string(properties.minor);
  report.driver = "driver for CUDA " + version(driver) + ", runtime " + version(runtime);
}

GpuReport measure(const GpuOptions& options) {
  GpuReport report;
  name_device(report);
  std::uint64_t bytes = 0, most_blocks = 0;
  for (const pageproof_shape& shape : options.shapes) {
    std::uint64_t blocks = blocks_for(shape, options.bytes);
    for (const std::uint32_t small : options.small_blocks) blocks = std::max<std::uint64_t>(blocks, small);
    bytes = std::max(bytes, blocks * kLayers * page_bytes(shape));
    most_blocks = std::max(most_blocks, blocks);
  }
  const Memory standard(bytes), planes(bytes), swept(kSweptBytes);
  const Memory tables(3 * kLayers * sizeof(void*) + most_blocks * sizeof(std::int64_t));
  for (const Memory* memory : {&standard, &planes}) {
    fill<<<4096, 256>>>(reinterpret_cast<uint32_t*>(memory->data()), memory->bytes() / 4, 1);
  }
  for (const pageproof_shape& shape : options.shapes) {
    measure_large({shape, blocks_for(shape, options.bytes), standard, planes, tables}, options.repetitions,
                  report);
    for (const std::uint32_t blocks : options.small_blocks) {
      measure_small({shape, blocks, standard, planes, tables}, swept, options.repetitions, report);
    }
  }
  return report;
}

}  // namespace

GpuMeasured measure_on_gpu(const GpuOptions& options) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    cudaGetLastError();
    return {{}, "this machine has no such device"};
  }
  try {
    return {measure(options), ""};
  } catch (const Refused& refused) {
    return {{}, refused.what()};
  }
}

}  // namespace pageproof::convert::bench
