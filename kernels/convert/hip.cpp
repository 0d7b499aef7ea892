// Launches on AMD devices: the code object of the device's target, loaded once a device, and the kernel that
// the mode and the shape name.
#include <map>
#include <mutex>
#include <string>

#include "kernels/convert/code_objects.hpp"
#include "kernels/convert/hip_runtime.hpp"
#include "kernels/convert/launch.hpp"
#include "kernels/convert/names.hpp"

namespace pageproof::convert {
namespace {

struct Module {
  pageproof_status status;
  void* handle;
};

Module load_module(const HipRuntime& hip, int device) {
  const std::string target = hip.target_of(device);
  for (const CodeObject& object : code_objects()) {
    if (object.target != target) continue;
    void* handle = nullptr;
    if (hip.module_load_data(&handle, object.elf.data()) != 0) return {PAGEPROOF_DEVICE_ERROR, nullptr};
    return {PAGEPROOF_OK, handle};
  }
  return {PAGEPROOF_NO_DEVICE, nullptr};
}

// Modules stay loaded until the process ends. A failure is not kept: the next job tries again.
Module module_of(const HipRuntime& hip, int device) {
  static std::mutex mutex;
  static std::map<int, Module> modules;
  const std::lock_guard lock(mutex);
  const auto known = modules.find(device);
  if (known != modules.end()) return known->second;
  const Module module = load_module(hip, device);
  if (module.status == PAGEPROOF_OK) modules.emplace(device, module);
  return module;
}

// The runtime keeps its last error for hipGetLastError; it is told here, so it is taken from there.
pageproof_status refused(const HipRuntime& hip, pageproof_status status) {
  hip.get_last_error();
  return status;
}

}  // namespace

pageproof_status run_on_hip(const pageproof_job& job, Direction direction) {
  const HipRuntime* hip = hip_runtime();
  if (hip == nullptr || code_objects().empty()) return PAGEPROOF_BACKEND_MISSING;
  int devices = 0;
  int device = 0;
  if (hip->get_device_count(&devices) != 0 || devices == 0 || hip->get_device(&device) != 0) {
    return refused(*hip, PAGEPROOF_NO_DEVICE);
  }
  const Module module = module_of(*hip, device);
  if (module.status != PAGEPROOF_OK) return refused(*hip, module.status);
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;

  Launch launch = plan_launch(job, direction, kAmdLimits);
  void* function = nullptr;
  if (hip->module_get_function(&function, module.handle, kernel_name(launch).c_str()) != 0) {
    return refused(*hip, PAGEPROOF_DEVICE_ERROR);
  }
  void* params[] = {&launch.arguments};
  const int error =
      hip->module_launch_kernel(function, launch.blocks, launch.head_groups, launch.layers, launch.work_items,
                                1, 1, launch.stage_bytes, job.stream, params, nullptr);
  return error == 0 ? PAGEPROOF_OK : refused(*hip, PAGEPROOF_DEVICE_ERROR);
}

}  // namespace pageproof::convert
