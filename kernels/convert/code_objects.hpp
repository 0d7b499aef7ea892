// The AMD code objects that this build holds: raw ELF files for one target each, as clang wrote them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace pageproof::convert {

struct CodeObject {
  std::string_view target;  // "gfx942"
  std::span<const std::byte> elf;
};

// Empty where the build had no clang that knows the targets.
std::span<const CodeObject> code_objects();

}  // namespace pageproof::convert
