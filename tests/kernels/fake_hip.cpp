#include "tests/kernels/fake_hip.hpp"

#include <cstring>

#include "kernels/convert/arguments.hpp"

namespace pageproof::tests {

FakeHip& fake_hip() {
  static FakeHip hip;
  return hip;
}

}  // namespace pageproof::tests

using pageproof::tests::fake_hip;

extern "C" {

int hipGetDeviceCount(int* count) {
  *count = fake_hip().devices;
  return *count == 0 ? 100 : 0;
}

int hipGetDevice(int* device) {
  *device = 0;
  return 0;
}

// The name stands where HIP 6 has it, some way into the structure.
int hipGetDevicePropertiesR0600(void* properties, int) {
  std::strcpy(static_cast<char*>(properties), "AMD Instinct");
  std::strcpy(static_cast<char*>(properties) + 1160, fake_hip().architecture.c_str());
  return 0;
}

int hipModuleLoadData(void** module, const void* image) {
  if (fake_hip().module_error != 0) return fake_hip().module_error;
  ++fake_hip().modules_loaded;
  fake_hip().machine = static_cast<const unsigned char*>(image)[48];  // e_flags of a 64-bit ELF
  *module = &fake_hip();
  return 0;
}

int hipModuleGetFunction(void** function, void* module, const char* name) {
  fake_hip().kernel = name;
  *function = module;
  return 0;
}

#if !defined(FAKE_HIP_INCOMPLETE)
int hipModuleLaunchKernel(void*, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned, unsigned, unsigned shared_bytes, void* stream, void** params, void**) {
  auto& hip = fake_hip();
  if (hip.launch_error != 0) return hip.launch_error;
  ++hip.launches;
  hip.grid[0] = grid_x;
  hip.grid[1] = grid_y;
  hip.grid[2] = grid_z;
  hip.work_items = block_x;
  hip.stage_bytes = shared_bytes;
  hip.stream = stream;
  const auto* bytes = static_cast<const unsigned char*>(params[0]);
  hip.arguments.assign(bytes, bytes + sizeof(pageproof::convert::Arguments));
  return 0;
}
#endif

int hipGetLastError() {
  return 0;
}
}
