#include "kernels/convert/hip_runtime.hpp"

#include <dlfcn.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace pageproof::convert {
namespace {

void* open_library() {
  constexpr std::array names = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};
  for (const int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW}) {
    for (const char* name : names) {
      if (void* library = dlopen(name, flags)) return library;
    }
  }
  return nullptr;
}

void* library() {
  static void* const opened = open_library();
  return opened;
}

template <class Function>
bool find(const char* name, Function& function) {
  function = reinterpret_cast<Function>(hip_function(name));
  return function != nullptr;
}

std::optional<HipRuntime> load() {
  HipRuntime hip{};
  const bool complete =
      find("hipGetDeviceCount", hip.get_device_count) && find("hipGetDevice", hip.get_device) &&
      (find("hipGetDevicePropertiesR0600", hip.get_device_properties) ||
       find("hipGetDeviceProperties", hip.get_device_properties)) &&
      find("hipModuleLoadData", hip.module_load_data) &&
      find("hipModuleGetFunction", hip.module_get_function) &&
      find("hipModuleLaunchKernel", hip.module_launch_kernel) && find("hipGetLastError", hip.get_last_error);
  return complete ? std::optional(hip) : std::nullopt;
}

}  // namespace

void* hip_function(const char* name) {
  return library() == nullptr ? nullptr : dlsym(library(), name);
}

// gcnArchName lies elsewhere in each version of hipDeviceProp_t (1 to 2 KiB), but only it reads "gfx...".
std::string HipRuntime::target_of(int device) const {
  std::vector<char> properties(16 * 1024, '\0');
  if (get_device_properties(properties.data(), device) != 0) return {};
  const std::string_view bytes(properties.data(), properties.size() - 1);
  const std::size_t begin = bytes.find("gfx");
  if (begin == std::string_view::npos) return {};
  const std::string_view name(properties.data() + begin);
  return std::string(name.substr(0, name.find(':')));
}

const HipRuntime* hip_runtime() {
  static const std::optional<HipRuntime> runtime = load();
  return runtime ? &*runtime : nullptr;
}

}  // namespace pageproof::convert
