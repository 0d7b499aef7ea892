// The seven functions of libamdhip64 that a launch needs, found at run time: the library links to no HIP, and
// runs with the one that its process already uses (streams belong to it), else with the newest installed.
#pragma once

#include <cstddef>
#include <string>

namespace pageproof::convert {

struct HipRuntime {
  // Types of hip_runtime_api.h, spelled for its C ABI: an error is an int, handles are pointers.
  int (*get_device_count)(int*);
  int (*get_device)(int*);
  int (*get_device_properties)(void*, int);
  int (*module_load_data)(void** module, const void* image);
  int (*module_get_function)(void** function, void* module, const char* name);
  int (*module_launch_kernel)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                              void* stream, void** params, void** extra);
  int (*get_last_error)();

  // "gfx942" of "gfx942:sramecc+:xnack-"; empty where the runtime does not tell.
  std::string target_of(int device) const;
};

// Null where there is no libamdhip64, or one without these functions.
const HipRuntime* hip_runtime();

// Another function of the same library by its name; null where there is no library or no such function.
void* hip_function(const char* name);

}  // namespace pageproof::convert
