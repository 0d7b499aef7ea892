// What somebody with an AMD device runs for those who have none: are the shipped kernels right there, and how
// fast?
//
//   fixtures   every page fixture of golden/ converted on the device, byte for byte
//   shapes     every shape in scope, out of place and in place, random bytes, padded strides, int32 and int64
//              ids, compared with the CPU converter, unlisted bytes included
//   far        blocks that lie more than 4 GiB into their planes
//   rates      requests of 36 layers in one launch beside a device-to-device copy of as many bytes
//
//   Expected<AmdRun> run = run_amd_kit({.fixtures = "golden"});
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/page/plain/failure.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::reports {

inline constexpr std::uint64_t kMostAmdBytes = 1ull << 36;
inline constexpr std::uint32_t kAmdLayers = 36;

struct AmdOptions {
  std::filesystem::path fixtures;
  std::uint64_t bytes =
      604'000'000;                 // of pages a request, 1 to kMostAmdBytes; three times that on the device
  std::uint32_t repetitions = 20;  // 1 to 10,000; the median counts
};

struct AmdRate {
  Shape shape;
  bool in_place = false;
  std::uint64_t blocks = 0;  // a layer
  std::uint64_t bytes = 0;   // of pages
  double copy_seconds = 0;   // hipMemcpyAsync from device to device
  double converter_seconds = 0;

  double share() const { return copy_seconds / converter_seconds; }
};

struct AmdRun {
  std::string device;
  std::string target;
  int runtime = 0;
  int driver = 0;
  std::uint64_t fixture_tests = 0;
  std::uint64_t shapes = 0;       // jobs of `shapes`
  bool far = false;               // false: too little free memory, not tried
  std::vector<Failure> failures;  // of fixtures, shapes and far
  std::vector<AmdRate> rates;

  bool holds() const { return failures.empty() && fixture_tests > 0 && shapes > 0; }
};

// An Error where an option is out of its range, the fixtures cannot be read, or there is no runtime, no
// device or no code for it.
Expected<AmdRun> run_amd_kit(const AmdOptions& options);

}  // namespace pageproof::reports
