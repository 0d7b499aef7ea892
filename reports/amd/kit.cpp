#include "reports/amd/kit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "golden/pages/check.hpp"
#include "reports/amd/jobs.hpp"

namespace pageproof::reports {
namespace {

using convert::AmdDevice;
using convert::AmdMemory;
using Random = std::mt19937_64;

constexpr std::uint64_t kInPlacePageBytes = PAGEPROOF_IN_PLACE_PAGE_BYTES;
constexpr const char* kReplay = "./run amd";

std::vector<std::byte> random_bytes(std::uint64_t count, Random& random) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Distinct ids in random order, below num_blocks.
std::vector<std::int64_t> random_ids(std::uint64_t count, std::uint64_t num_blocks, Random& random) {
  std::vector<std::int64_t> ids(num_blocks);
  std::iota(ids.begin(), ids.end(), 0);
  std::shuffle(ids.begin(), ids.end(), random);
  ids.resize(count);
  return ids;
}

// The kernel skips an id out of its pool, and that ids are distinct is the caller's duty: here the caller
// looks.
bool ids_are_good(std::span<const std::int64_t> ids, std::uint64_t num_blocks, bool distinct) {
  const std::set<std::int64_t> different(ids.begin(), ids.end());
  return std::ranges::all_of(ids,
                             [&](std::int64_t id) { return static_cast<std::uint64_t>(id) < num_blocks; }) &&
         (!distinct || different.size() == ids.size());
}

// The device as the converter of fixtures.
golden::Convert device_converter(const AmdDevice& device) {
  return [&device](const golden::ConvertRequest& request) -> Expected<void> {
    if (!ids_are_good(request.block_ids, request.num_blocks, true) ||
        !ids_are_good(request.standard_block_ids, request.standard_num_blocks, false)) {
      return std::unexpected(Error{"converter", "block_ids", to_string(request.shape), "refused"});
    }
    ArenaPlan plan;
    plan.shape = request.shape;
    plan.in_place = request.in_place;
    plan.plane_blocks = request.num_blocks;
    plan.standard_blocks = request.standard_num_blocks;
    plan.block_ids.assign(request.block_ids.begin(), request.block_ids.end());
    plan.standard_block_ids.assign(request.standard_block_ids.begin(), request.standard_block_ids.end());
    std::vector<std::byte> standard(request.standard.begin(), request.standard.end());
    std::vector<std::byte> planes(request.k_plane.begin(), request.k_plane.end());
    planes.insert(planes.end(), request.v_plane.begin(), request.v_plane.end());
    if (auto done = run_on_device(device, plan, standard, planes); !done) return done;
    const auto values = planes.begin() + static_cast<std::ptrdiff_t>(request.k_plane.size());
    std::copy(planes.begin(), values, request.k_plane.begin());
    std::copy(values, planes.end(), request.v_plane.begin());
    return {};
  };
}

std::vector<Shape> shapes_in_scope() {
  std::vector<Shape> shapes;
  for (const std::uint64_t heads : {1, 2, 3, 4, 8, 16}) {
    for (const std::uint64_t tokens : {16, 32}) {
      for (const std::uint64_t head_dim : {64, 128, 256}) {
        for (const std::uint64_t bytes : {1, 2}) shapes.push_back({heads, tokens, head_dim, bytes});
      }
    }
  }
  return shapes;
}

bool in_scope(const Shape& shape, bool in_place) {
  return !in_place || shape.page_bytes() <= kInPlacePageBytes;
}

Failure differs(const char* name, const Shape& shape, bool in_place, std::size_t at, std::byte expected,
                std::byte got) {
  return {name,
          "the device leaves the bytes that the CPU converter leaves",
          fmt::format("{}   {}   byte {} of the arenas (standard pages, K planes, V planes)",
                      to_string(shape), in_place ? "in place" : "out of place", at),
          fmt::format("0x{:02x}", static_cast<unsigned>(expected)),
          fmt::format("0x{:02x}", static_cast<unsigned>(got)),
          kReplay};
}

// One job on both, over the same random arenas.
Expected<std::optional<Failure>> compare(const AmdDevice& device, const ArenaPlan& plan, Random& random) {
  std::vector<std::byte> standard = random_bytes(plan.standard_bytes(), random);
  std::vector<std::byte> planes = random_bytes(plan.planes_bytes(), random);
  std::vector<std::byte> device_standard = standard;
  std::vector<std::byte> device_planes = planes;
  if (auto done = run_on_host(plan, standard, planes); !done) return std::unexpected(done.error());
  if (auto done = run_on_device(device, plan, device_standard, device_planes); !done) {
    return std::unexpected(done.error());
  }
  standard.insert(standard.end(), planes.begin(), planes.end());
  device_standard.insert(device_standard.end(), device_planes.begin(), device_planes.end());
  const auto [expected, got] = std::ranges::mismatch(standard, device_standard);
  if (expected == standard.end()) return std::nullopt;
  return differs("amd.shapes", plan.shape, plan.in_place,
                 static_cast<std::size_t>(expected - standard.begin()), *expected, *got);
}

Expected<void> compare_shapes(const AmdDevice& device, AmdRun& run) {
  Random random(1);
  for (const Shape& shape : shapes_in_scope()) {
    for (const bool in_place : {false, true}) {
      if (!in_scope(shape, in_place)) continue;
      ArenaPlan plan;
      plan.shape = shape;
      plan.in_place = in_place;
      plan.layers = 2;
      plan.plane_blocks = 7;
      plan.standard_blocks = 5;
      plan.padding_bytes = 16 * (random() % 9);
      plan.id_bytes = random() % 2 == 0 ? 4 : 8;
      plan.block_ids = random_ids(4, plan.plane_blocks, random);
      if (!in_place) plan.standard_block_ids = random_ids(4, plan.standard_blocks, random);
      const auto failure = compare(device, plan, random);
      if (!failure) return std::unexpected(failure.error());
      ++run.shapes;
      if (*failure) run.failures.push_back(**failure);
    }
  }
  return {};
}

// Block 3 of planes whose blocks lie 1.5 GiB apart, in place.
Expected<void> compare_far(const AmdDevice& device, AmdRun& run) {
  const Shape shape{8, 16, 128, 2};
  ArenaPlan plan;
  plan.shape = shape;
  plan.in_place = true;
  plan.plane_blocks = 4;
  plan.padding_bytes = (3ull << 29) - shape.side_bytes();
  plan.block_ids = {3};
  if (device.free_bytes() < plan.planes_bytes() + (1ull << 30)) return {};

  ArenaPlan near = plan;
  near.plane_blocks = 1;
  near.padding_bytes = 0;
  near.block_ids = {0};
  Random random(2);
  std::vector<std::byte> none;
  std::vector<std::byte> block = random_bytes(near.planes_bytes(), random);
  const auto planes = device.allocate(plan.planes_bytes());
  if (!planes) return std::unexpected(planes.error());
  const std::vector<std::byte> ids = plan.ids();
  const auto device_ids = device.allocate(ids.size());
  if (!device_ids) return std::unexpected(device_ids.error());
  const std::uint64_t side = shape.side_bytes();
  unsigned char* const k = planes->data() + 3 * plan.plane_stride();
  unsigned char* const v = k + plan.planes_bytes() / 2;
  std::vector<std::byte> got(2 * side);
  const std::span<std::byte> halves(got);
  const std::span<const std::byte> landing(block);
  Expected<void> done = device.write(device_ids->data(), ids);
  if (done) done = device.write(k, landing.first(side));
  if (done) done = device.write(v, landing.last(side));
  if (done) done = enqueue(device, plan.job(nullptr, planes->data(), device_ids->data()), true);
  if (done) done = device.wait();
  if (done) done = device.read(halves.first(side), k);
  if (done) done = device.read(halves.last(side), v);
  if (done) done = run_on_host(near, none, block);
  if (!done) return done;
  run.far = true;
  const auto [expected, found] = std::ranges::mismatch(block, got);
  if (expected != block.end()) {
    run.failures.push_back(differs("amd.far", shape, true, static_cast<std::size_t>(expected - block.begin()),
                                   *expected, *found));
  }
  return {};
}

double median(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

// Copy, out of place and in place take turns.
Expected<void> measure(const AmdDevice& device, const AmdOptions& options, const Shape& shape, AmdRun& run) {
  ArenaPlan plan;
  plan.shape = shape;
  plan.layers = kAmdLayers;
  const std::uint64_t blocks = std::max<std::uint64_t>(1, options.bytes / (kAmdLayers * shape.page_bytes()));
  plan.plane_blocks = plan.standard_blocks = blocks;
  Random random(3);
  plan.block_ids = random_ids(blocks, blocks, random);
  plan.standard_block_ids = random_ids(blocks, blocks, random);
  const std::vector<std::byte> ids = plan.ids();
  const auto standard = device.allocate(plan.standard_bytes());
  if (!standard) return std::unexpected(standard.error());
  const auto planes = device.allocate(plan.planes_bytes());
  if (!planes) return std::unexpected(planes.error());
  const auto device_ids = device.allocate(ids.size());
  if (!device_ids) return std::unexpected(device_ids.error());
  if (auto done = device.write(device_ids->data(), ids); !done) return done;

  const pageproof_job job = plan.job(standard->data(), planes->data(), device_ids->data());
  const std::vector<std::function<Expected<void>()>> ways = {
      [&] { return device.copy_within(planes->data(), standard->data(), plan.planes_bytes()); },
      [&] { return enqueue(device, job, false); }, [&] { return enqueue(device, job, true); }};
  const std::size_t tried = in_scope(shape, true) ? 3 : 2;
  std::vector<std::vector<double>> seconds(tried);
  for (std::uint32_t turn = 0; turn <= options.repetitions; ++turn) {
    for (std::size_t way = 0; way < tried; ++way) {
      const auto time = device.time(ways[way]);
      if (!time) return std::unexpected(time.error());
      if (turn > 0) seconds[way].push_back(*time);  // the first warms up
    }
  }
  for (std::size_t way = 1; way < tried; ++way) {
    run.rates.push_back(
        {shape, way == 2, blocks, plan.planes_bytes(), median(seconds[0]), median(seconds[way])});
  }
  return {};
}

Expected<void> in_range(const AmdOptions& options) {
  const auto refuse = [](const char* option, std::uint64_t value, std::uint64_t most) {
    return std::unexpected(
        Error{"pageproof amd", option, std::to_string(value), fmt::format("must be 1 to {}", most)});
  };
  if (options.bytes == 0 || options.bytes > kMostAmdBytes)
    return refuse("--bytes", options.bytes, kMostAmdBytes);
  if (options.repetitions == 0 || options.repetitions > 10'000) {
    return refuse("--repetitions", options.repetitions, 10'000);
  }
  return {};
}

}  // namespace

Expected<AmdRun> run_amd_kit(const AmdOptions& options) {
  if (auto good = in_range(options); !good) return std::unexpected(good.error());
  const auto device = AmdDevice::open();
  if (!device) return std::unexpected(device.error());

  AmdRun run;
  run.device = device->name();
  run.target = device->target();
  run.runtime = device->runtime_version();
  run.driver = device->driver_version();
  const auto fixtures = golden::check_fixtures(options.fixtures, device_converter(*device));
  if (!fixtures) return std::unexpected(fixtures.error());
  run.fixture_tests = fixtures->tests();
  run.failures = fixtures->failures;
  if (auto done = compare_shapes(*device, run); !done) return std::unexpected(done.error());
  if (auto done = compare_far(*device, run); !done) return std::unexpected(done.error());
  for (const Shape& shape : shapes_in_scope()) {
    if (auto done = measure(*device, options, shape, run); !done) return std::unexpected(done.error());
  }
  return run;
}

}  // namespace pageproof::reports
