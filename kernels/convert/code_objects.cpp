#include "kernels/convert/code_objects.hpp"

#include <array>

// The build names the file of each target it compiled: PAGEPROOF_CODE_OBJECT_GFX942="....co". The assembler
// takes it in as it is.
#define PAGEPROOF_EMBED(TARGET, FILE)                                                          \
  __asm__(                                                                                     \
      ".pushsection .rodata\n"                                                                 \
      ".balign 4096\n"                                                                         \
      "pageproof_elf_" #TARGET                                                                 \
      ":\n"                                                                                    \
      ".incbin \"" FILE                                                                        \
      "\"\n"                                                                                   \
      "pageproof_elf_" #TARGET                                                                 \
      "_end:\n"                                                                                \
      ".byte 0\n"                                                                              \
      ".popsection\n");                                                                        \
  extern "C" {                                                                                 \
  __attribute__((visibility("hidden"))) extern const std::byte pageproof_elf_##TARGET[];       \
  __attribute__((visibility("hidden"))) extern const std::byte pageproof_elf_##TARGET##_end[]; \
  }

#define PAGEPROOF_EMBEDDED(TARGET)                                           \
  CodeObject {                                                               \
    #TARGET, std::span(pageproof_elf_##TARGET, pageproof_elf_##TARGET##_end) \
  }

#if defined(PAGEPROOF_CODE_OBJECT_GFX90A)
PAGEPROOF_EMBED(gfx90a, PAGEPROOF_CODE_OBJECT_GFX90A)
#endif
#if defined(PAGEPROOF_CODE_OBJECT_GFX942)
PAGEPROOF_EMBED(gfx942, PAGEPROOF_CODE_OBJECT_GFX942)
#endif
#if defined(PAGEPROOF_CODE_OBJECT_GFX950)
PAGEPROOF_EMBED(gfx950, PAGEPROOF_CODE_OBJECT_GFX950)
#endif

namespace pageproof::convert {

std::span<const CodeObject> code_objects() {
  static const auto all = std::to_array<CodeObject>({
#if defined(PAGEPROOF_CODE_OBJECT_GFX90A)
      PAGEPROOF_EMBEDDED(gfx90a),
#endif
#if defined(PAGEPROOF_CODE_OBJECT_GFX942)
      PAGEPROOF_EMBEDDED(gfx942),
#endif
#if defined(PAGEPROOF_CODE_OBJECT_GFX950)
      PAGEPROOF_EMBEDDED(gfx950),
#endif
      CodeObject{},  // an array holds one at least
  });
  return std::span(all).first(all.size() - 1);
}

}  // namespace pageproof::convert
