#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "kernels/convert/bench/measured.hpp"
#include "kernels/convert/bench/request.hpp"

namespace pageproof::convert::bench {
namespace {

constexpr std::uint64_t kSweptBytes = 256 * 1024 * 1024;  // several times any L2

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
