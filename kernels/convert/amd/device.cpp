#include "kernels/convert/amd/device.hpp"

#include <array>

#include "kernels/convert/hip_runtime.hpp"

namespace pageproof::convert {

// hip_runtime_api.h spelled for its C ABI: an error is an int, handles are pointers.
struct AmdFunctions {
  const HipRuntime* launches;
  int (*allocate)(void**, std::size_t);
  int (*release)(void*);
  int (*copy)(void*, const void*, std::size_t, int kind, void* stream);
  int (*stream_create)(void**);
  int (*stream_destroy)(void*);
  int (*stream_synchronize)(void*);
  int (*event_create)(void**);
  int (*event_destroy)(void*);
  int (*event_record)(void*, void* stream);
  int (*event_synchronize)(void*);
  int (*event_elapsed_ms)(float*, void* from, void* to);
  int (*memory_info)(std::size_t* free, std::size_t* total);
  int (*device_name)(char*, int bytes, int device);
  int (*runtime_version)(int*);
  int (*driver_version)(int*);
  const char* (*error_text)(int);
};

namespace {

enum CopyKind { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3 };  // hipMemcpyKind

std::unexpected<Error> missing(const std::string& what) {
  return std::unexpected(Error{"AMD device", "runtime", "HIP", what});
}

template <class Function>
void find(const char* name, Function& function, const char*& absent) {
  function = reinterpret_cast<Function>(hip_function(name));
  if (function == nullptr) absent = name;
}

// Null, or the name of a function that the runtime lacks.
const char* load(AmdFunctions& hip) {
  const char* absent = nullptr;
  find("hipMalloc", hip.allocate, absent);
  find("hipFree", hip.release, absent);
  find("hipMemcpyAsync", hip.copy, absent);
  find("hipStreamCreate", hip.stream_create, absent);
  find("hipStreamDestroy", hip.stream_destroy, absent);
  find("hipStreamSynchronize", hip.stream_synchronize, absent);
  find("hipEventCreate", hip.event_create, absent);
  find("hipEventDestroy", hip.event_destroy, absent);
  find("hipEventRecord", hip.event_record, absent);
  find("hipEventSynchronize", hip.event_synchronize, absent);
  find("hipEventElapsedTime", hip.event_elapsed_ms, absent);
  find("hipMemGetInfo", hip.memory_info, absent);
  find("hipDeviceGetName", hip.device_name, absent);
  find("hipRuntimeGetVersion", hip.runtime_version, absent);
  find("hipDriverGetVersion", hip.driver_version, absent);
  find("hipGetErrorString", hip.error_text, absent);
  return absent;
}

Expected<void> accepted(const AmdFunctions& hip, int error, const char* function) {
  if (error == 0) return {};
  hip.launches->get_last_error();
  return std::unexpected(Error{"AMD device", function, std::to_string(error), hip.error_text(error)});
}

}  // namespace

AmdDevice::AmdDevice(std::shared_ptr<const AmdFunctions> hip, int device, std::shared_ptr<void> stream)
    : hip_(std::move(hip)), device_(device), stream_(std::move(stream)) {}

Expected<AmdDevice> AmdDevice::open() {
  auto hip = std::make_shared<AmdFunctions>();
  hip->launches = hip_runtime();
  if (hip->launches == nullptr) return missing("there is no libamdhip64.so here that launches kernels");
  if (const char* absent = load(*hip)) return missing(std::string("libamdhip64.so has no ") + absent);
  int devices = 0;
  int device = 0;
  if (hip->launches->get_device_count(&devices) != 0 || devices == 0 ||
      hip->launches->get_device(&device) != 0) {
    return missing("the runtime finds no device");
  }
  void* stream = nullptr;
  if (auto made = accepted(*hip, hip->stream_create(&stream), "hipStreamCreate"); !made) {
    return std::unexpected(made.error());
  }
  const auto destroy = hip->stream_destroy;
  return AmdDevice(hip, device, std::shared_ptr<void>(stream, [destroy](void* s) { destroy(s); }));
}

std::string AmdDevice::target() const {
  return hip_->launches->target_of(device_);
}

std::string AmdDevice::name() const {
  std::array<char, 256> text{};
  if (hip_->device_name(text.data(), static_cast<int>(text.size()) - 1, device_) != 0) return {};
  return text.data();
}

int AmdDevice::runtime_version() const {
  int version = 0;
  return hip_->runtime_version(&version) == 0 ? version : 0;
}

int AmdDevice::driver_version() const {
  int version = 0;
  return hip_->driver_version(&version) == 0 ? version : 0;
}

std::uint64_t AmdDevice::free_bytes() const {
  std::size_t free = 0;
  std::size_t total = 0;
  return hip_->memory_info(&free, &total) == 0 ? free : 0;
}

Expected<AmdMemory> AmdDevice::allocate(std::uint64_t bytes) const {
  void* memory = nullptr;
  if (auto done = accepted(*hip_, hip_->allocate(&memory, bytes), "hipMalloc"); !done) {
    return std::unexpected(done.error());
  }
  const auto release = hip_->release;
  return AmdMemory(std::shared_ptr<void>(memory, [release](void* m) { release(m); }), bytes);
}

Expected<void> AmdDevice::write(unsigned char* device, std::span<const std::byte> host) const {
  if (auto done = accepted(*hip_, hip_->copy(device, host.data(), host.size(), kHostToDevice, stream()),
                           "hipMemcpyAsync");
      !done) {
    return done;
  }
  return wait();
}

Expected<void> AmdDevice::read(std::span<std::byte> host, const unsigned char* device) const {
  if (auto done = accepted(*hip_, hip_->copy(host.data(), device, host.size(), kDeviceToHost, stream()),
                           "hipMemcpyAsync");
      !done) {
    return done;
  }
  return wait();
}

Expected<void> AmdDevice::copy_within(unsigned char* to, const unsigned char* from,
                                      std::uint64_t bytes) const {
  return accepted(*hip_, hip_->copy(to, from, bytes, kDeviceToDevice, stream()), "hipMemcpyAsync");
}

Expected<void> AmdDevice::wait() const {
  return accepted(*hip_, hip_->stream_synchronize(stream()), "hipStreamSynchronize");
}

Expected<double> AmdDevice::time(const std::function<Expected<void>()>& enqueue) const {
  std::array<void*, 2> events{};
  Expected<void> done;
  for (void*& event : events) {
    if (done) done = accepted(*hip_, hip_->event_create(&event), "hipEventCreate");
  }
  if (done) done = accepted(*hip_, hip_->event_record(events[0], stream()), "hipEventRecord");
  if (done) done = enqueue();
  if (done) done = accepted(*hip_, hip_->event_record(events[1], stream()), "hipEventRecord");
  if (done) done = accepted(*hip_, hip_->event_synchronize(events[1]), "hipEventSynchronize");
  float milliseconds = 0;
  if (done) {
    done =
        accepted(*hip_, hip_->event_elapsed_ms(&milliseconds, events[0], events[1]), "hipEventElapsedTime");
  }
  for (void* event : events) {
    if (event != nullptr) hip_->event_destroy(event);
  }
  if (!done) return std::unexpected(done.error());
  return milliseconds / 1e3;
}

}  // namespace pageproof::convert
