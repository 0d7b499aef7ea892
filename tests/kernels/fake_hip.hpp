// A libamdhip64 without a device behind it: it answers as it is told and keeps what it was asked. The test
// links to it, so it is the runtime that the process already uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pageproof::tests {

struct FakeHip {
  int devices = 1;
  std::string architecture = "gfx942:sramecc+:xnack-";
  int module_error = 0;
  int launch_error = 0;

  // What was asked.
  int modules_loaded = 0;
  std::uint32_t machine = 0;  // e_flags of the ELF that was loaded, its low byte: the target
  int launches = 0;
  std::string kernel;
  std::uint32_t grid[3] = {};
  std::uint32_t work_items = 0;
  std::uint32_t stage_bytes = 0;
  void* stream = nullptr;
  std::vector<unsigned char> arguments;  // of the kernel's one parameter
};

__attribute__((visibility("default"))) FakeHip& fake_hip();

}  // namespace pageproof::tests
