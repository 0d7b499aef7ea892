// One AMD device: its memory, a stream and the stream's clock, for programs that test or measure the
// converter there. The HIP runtime is found when a device is opened (hip_runtime.hpp): nothing links to it.
//
//   Expected<AmdDevice> device = AmdDevice::open();
//   Expected<AmdMemory> pages = device->allocate(bytes);
//   double seconds = *device->time([&] { return device->copy_within(*planes, *pages, bytes); });
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "model/page/plain/error.hpp"

namespace pageproof::convert {

struct AmdFunctions;

// Device memory; freed with the last of its owners.
class AmdMemory {
 public:
  unsigned char* data() const { return static_cast<unsigned char*>(memory_.get()); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  friend class AmdDevice;
  AmdMemory(std::shared_ptr<void> memory, std::uint64_t bytes) : memory_(std::move(memory)), bytes_(bytes) {}
  std::shared_ptr<void> memory_;
  std::uint64_t bytes_;
};

class AmdDevice {
 public:
  // The current device and a new stream on it. An Error where no runtime or no device is, or where the
  // runtime lacks a function; every later Error is the runtime's refusal, in its own words.
  static Expected<AmdDevice> open();

  std::string target() const;  // "gfx942"
  std::string name() const;
  int runtime_version() const;  // as hipRuntimeGetVersion tells it; 0 where it does not
  int driver_version() const;
  std::uint64_t free_bytes() const;
  void* stream() const { return stream_.get(); }

  Expected<AmdMemory> allocate(std::uint64_t bytes) const;
  Expected<void> write(unsigned char* device, std::span<const std::byte> host) const;
  Expected<void> read(std::span<std::byte> host, const unsigned char* device) const;
  // From device to device, enqueued on the stream.
  Expected<void> copy_within(unsigned char* to, const unsigned char* from, std::uint64_t bytes) const;
  Expected<void> wait() const;
  // Seconds between two events around what `enqueue` puts on the stream.
  Expected<double> time(const std::function<Expected<void>()>& enqueue) const;

 private:
  AmdDevice(std::shared_ptr<const AmdFunctions> hip, int device, std::shared_ptr<void> stream);
  std::shared_ptr<const AmdFunctions> hip_;
  int device_;
  std::shared_ptr<void> stream_;
};

}  // namespace pageproof::convert
