// Launches on AMD devices: the code object of the device's target, loaded once a device, and the kernel that
// the job names.
#include <map>
#include <mutex>
#include <string>

#include "kernels/convert/code_objects.hpp"
#include "kernels/convert/hip_runtime.hpp"
#include "kernels/convert/launch.hpp"
#include "kernels/convert/names.hpp"
#include "kernels/convert/orders/orders_launch.hpp"

namespace pageproof::convert {
namespace {

struct Module {
  pageproof_status status;
  void* handle;
};

Module load_module(const HipRuntime& hip, int device, Family family) {
  const std::string target = hip.target_of(device);
  for (const CodeObject& object : code_objects(family)) {
    if (object.target != target) continue;
    void* handle = nullptr;
    if (hip.module_load_data(&handle, object.elf.data()) != 0) return {PAGEPROOF_DEVICE_ERROR, nullptr};
    return {PAGEPROOF_OK, handle};
  }
  return {PAGEPROOF_NO_DEVICE, nullptr};
}

// Modules stay loaded until the process ends. A failure is not kept: the next job tries again.
Module module_of(const HipRuntime& hip, int device, Family family) {
  static std::mutex mutex;
  static std::map<std::pair<Family, int>, Module> modules;
  const std::lock_guard lock(mutex);
  const auto known = modules.find({family, device});
  if (known != modules.end()) return known->second;
  const Module module = load_module(hip, device, family);
  if (module.status == PAGEPROOF_OK) modules.emplace(std::pair(family, device), module);
  return module;
}

// The runtime keeps its last error for hipGetLastError; it is told here, so it is taken from there.
pageproof_status refused(const HipRuntime& hip, pageproof_status status) {
  hip.get_last_error();
  return status;
}

// `plan` makes the launch, once there is a device for it.
template <class Plan>
pageproof_status launch_on_hip(const pageproof_job& job, Family family, const Plan& plan) {
  const HipRuntime* hip = hip_runtime();
  if (hip == nullptr || code_objects(family).empty()) return PAGEPROOF_BACKEND_MISSING;
  int devices = 0;
  int device = 0;
  if (hip->get_device_count(&devices) != 0 || devices == 0 || hip->get_device(&device) != 0) {
    return refused(*hip, PAGEPROOF_NO_DEVICE);
  }
  const Module module = module_of(*hip, device, family);
  if (module.status != PAGEPROOF_OK) return refused(*hip, module.status);
  if (job.id_count == 0 || job.layers == 0) return PAGEPROOF_OK;

  auto launch = plan();
  void* function = nullptr;
  if (hip->module_get_function(&function, module.handle, kernel_name(launch).c_str()) != 0) {
    return refused(*hip, PAGEPROOF_DEVICE_ERROR);
  }
  void* params[] = {&launch.arguments};
  const int error = hip->module_launch_kernel(function, launch.block_groups(), launch.head_groups,
                                              launch.layers, launch.work_items, launch.teams, 1,
                                              launch.stage_bytes, job.stream, params, nullptr);
  return error == 0 ? PAGEPROOF_OK : refused(*hip, PAGEPROOF_DEVICE_ERROR);
}

}  // namespace

pageproof_status run_on_hip(const pageproof_job& job, Direction direction) {
  return launch_on_hip(job, Family::convert, [&] { return plan_launch(job, direction, kAmdLimits); });
}

pageproof_status run_order_on_hip(const pageproof_job& job, Direction direction) {
  return launch_on_hip(job, Family::orders,
                       [&] { return plan_order_launch(job, direction, kAmdOrderLimits); });
}

}  // namespace pageproof::convert
