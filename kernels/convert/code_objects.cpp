#include "kernels/convert/code_objects.hpp"

#include <array>

// The build names the files of each target it compiled: PAGEPROOF_CONVERT_GFX942="....co" and
// PAGEPROOF_ORDERS_GFX942. The assembler takes them in as they are.
#define PAGEPROOF_EMBED(NAME, FILE)                                                          \
  __asm__(                                                                                   \
      ".pushsection .rodata\n"                                                               \
      ".balign 4096\n"                                                                       \
      "pageproof_elf_" #NAME                                                                 \
      ":\n"                                                                                  \
      ".incbin \"" FILE                                                                      \
      "\"\n"                                                                                 \
      "pageproof_elf_" #NAME                                                                 \
      "_end:\n"                                                                              \
      ".byte 0\n"                                                                            \
      ".popsection\n");                                                                      \
  extern "C" {                                                                               \
  __attribute__((visibility("hidden"))) extern const std::byte pageproof_elf_##NAME[];       \
  __attribute__((visibility("hidden"))) extern const std::byte pageproof_elf_##NAME##_end[]; \
  }

#define PAGEPROOF_EMBEDDED(FAMILY, TARGET)                                                         \
  CodeObject {                                                                                     \
    #TARGET, std::span(pageproof_elf_##FAMILY##_##TARGET, pageproof_elf_##FAMILY##_##TARGET##_end) \
  }

#if defined(PAGEPROOF_CONVERT_GFX90A)
PAGEPROOF_EMBED(convert_gfx90a, PAGEPROOF_CONVERT_GFX90A)
PAGEPROOF_EMBED(orders_gfx90a, PAGEPROOF_ORDERS_GFX90A)
#endif
#if defined(PAGEPROOF_CONVERT_GFX942)
PAGEPROOF_EMBED(convert_gfx942, PAGEPROOF_CONVERT_GFX942)
PAGEPROOF_EMBED(orders_gfx942, PAGEPROOF_ORDERS_GFX942)
#endif
#if defined(PAGEPROOF_CONVERT_GFX950)
PAGEPROOF_EMBED(convert_gfx950, PAGEPROOF_CONVERT_GFX950)
PAGEPROOF_EMBED(orders_gfx950, PAGEPROOF_ORDERS_GFX950)
#endif

namespace pageproof::convert {
namespace {

// An array holds one at least: the last is empty.
#define PAGEPROOF_OBJECTS(FAMILY) \
  std::to_array<CodeObject>(      \
      {PAGEPROOF_GFX90A(FAMILY) PAGEPROOF_GFX942(FAMILY) PAGEPROOF_GFX950(FAMILY) CodeObject{}})
#if defined(PAGEPROOF_CONVERT_GFX90A)
#define PAGEPROOF_GFX90A(FAMILY) PAGEPROOF_EMBEDDED(FAMILY, gfx90a),
#else
#define PAGEPROOF_GFX90A(FAMILY)
#endif
#if defined(PAGEPROOF_CONVERT_GFX942)
#define PAGEPROOF_GFX942(FAMILY) PAGEPROOF_EMBEDDED(FAMILY, gfx942),
#else
#define PAGEPROOF_GFX942(FAMILY)
#endif
#if defined(PAGEPROOF_CONVERT_GFX950)
#define PAGEPROOF_GFX950(FAMILY) PAGEPROOF_EMBEDDED(FAMILY, gfx950),
#else
#define PAGEPROOF_GFX950(FAMILY)
#endif

}  // namespace

std::span<const CodeObject> code_objects(Family family) {
  static const auto convert = PAGEPROOF_OBJECTS(convert);
  static const auto orders = PAGEPROOF_OBJECTS(orders);
  return std::span(family == Family::convert ? convert : orders).first(convert.size() - 1);
}

}  // namespace pageproof::convert
