// The AMD code objects that this build holds: raw ELF files for one target each, as clang wrote them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pageproof::convert {

// Which kernels: those of convert.hip, or those of orders/orders.hip.
enum class Family : std::uint8_t { convert, orders };

struct CodeObject {
  std::string_view target;  // "gfx942"
  std::span<const std::byte> elf;
};

// Empty where the build had no clang that knows the targets.
std::span<const CodeObject> code_objects(Family family = Family::convert);

}  // namespace pageproof::convert
