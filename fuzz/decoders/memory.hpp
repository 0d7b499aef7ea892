// The heap as a target sees it: live bytes since start(), and their peak. Counted by the sanitizer's hooks
// under libFuzzer (memory_sanitizer.cpp), by operator new elsewhere (memory_plain.cpp).
#pragma once

#include <cstddef>

namespace pageproof::fuzz::memory {

void start();
// Of one thread; what was allocated before start() and freed after it is not counted below zero.
std::size_t peak();

}  // namespace pageproof::fuzz::memory
