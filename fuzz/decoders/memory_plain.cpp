#include <malloc.h>

#include <cstdlib>
#include <new>

#include "fuzz/decoders/memory.hpp"
#include "fuzz/decoders/memory_count.hpp"

namespace pageproof::fuzz::memory {

void start() {
  count = {};
}

std::size_t peak() {
  return count.peak;
}

}  // namespace pageproof::fuzz::memory

namespace {

using pageproof::fuzz::memory::count;

}  // namespace

// The other forms of operator new end in this one.
void* operator new(std::size_t bytes) {
  void* const block = std::malloc(bytes == 0 ? 1 : bytes);
  if (block == nullptr) throw std::bad_alloc();
  count.taken(malloc_usable_size(block));
  return block;
}

void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  count.returned(malloc_usable_size(block));
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}
