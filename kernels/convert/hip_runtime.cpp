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

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::optional<HipRuntime> load() {
  void* library = open_library();
  if (library == nullptr) return std::nullopt;
  HipRuntime hip{};
  const bool complete = find(library, "hipGetDeviceCount", hip.get_device_count) &&
                        find(library, "hipGetDevice", hip.get_device) &&
                        (find(library, "hipGetDevicePropertiesR0600", hip.get_device_properties) ||
                         find(library, "hipGetDeviceProperties", hip.get_device_properties)) &&
                        find(library, "hipModuleLoadData", hip.module_load_data) &&
                        find(library, "hipModuleGetFunction", hip.module_get_function) &&
                        find(library, "hipModuleLaunchKernel", hip.module_launch_kernel) &&
                        find(library, "hipGetLastError", hip.get_last_error);
  return complete ? std::optional(hip) : std::nullopt;
}

}  // namespace

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
