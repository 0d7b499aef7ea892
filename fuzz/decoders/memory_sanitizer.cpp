#include <sanitizer/allocator_interface.h>

#include "fuzz/decoders/memory.hpp"
#include "fuzz/decoders/memory_count.hpp"

namespace pageproof::fuzz::memory {
namespace {

void taken(const volatile void*, std::size_t bytes) {
  count.taken(bytes);
}

void returned(const volatile void* block) {
  if (block != nullptr) count.returned(__sanitizer_get_allocated_size(const_cast<const void*>(block)));
}

const int kInstalled = __sanitizer_install_malloc_and_free_hooks(taken, returned);

}  // namespace

void start() {
  count = {};
}

std::size_t peak() {
  return kInstalled == 0 ? SIZE_MAX : count.peak;  // without hooks no law is judged, and that must show
}

}  // namespace pageproof::fuzz::memory
