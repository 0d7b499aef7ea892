#include "oracle/machine/disassembler.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <vector>
#if __has_include(<llvm-c/Disassembler.h>)
#include <llvm-c/Disassembler.h>
#endif

namespace pageproof::machine {
namespace {

constexpr const char* kLibrary = "libLLVM.so.22.1";
constexpr std::size_t kLongestInstruction = 20;

// Of LLVM's C interface, which keeps its signatures from release to release (llvm-c/Disassembler.h).
struct Llvm {
  void* (*create)(const char* triple, const char* cpu, void* info, int tag,
                  int (*operand_info)(void*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, int,
                                      void*),
                  const char* (*look_up)(void*, std::uint64_t, std::uint64_t*, std::uint64_t, const char**));
  void (*dispose)(void* context);
  std::size_t (*disassemble)(void* context, std::uint8_t* bytes, std::uint64_t count, std::uint64_t pc,
                             char* text, std::size_t text_bytes);
};
#if __has_include(<llvm-c/Disassembler.h>)
static_assert(std::is_same_v<decltype(Llvm::create), decltype(&LLVMCreateDisasmCPU)>);
static_assert(std::is_same_v<decltype(Llvm::dispose), decltype(&LLVMDisasmDispose)>);
static_assert(std::is_same_v<decltype(Llvm::disassemble), decltype(&LLVMDisasmInstruction)>);
#endif

// Null where the library or one of its functions is missing.
const Llvm* llvm() {
  static const std::optional<Llvm> opened = []() -> std::optional<Llvm> {
    void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::nullopt;
    for (const char* prepare : {"LLVMInitializeAMDGPUTargetInfo", "LLVMInitializeAMDGPUTarget",
                                "LLVMInitializeAMDGPUTargetMC", "LLVMInitializeAMDGPUDisassembler"}) {
      auto* function = reinterpret_cast<void (*)()>(dlsym(library, prepare));
      if (function == nullptr) return std::nullopt;
      function();
    }
    const Llvm found{reinterpret_cast<decltype(Llvm::create)>(dlsym(library, "LLVMCreateDisasmCPU")),
                     reinterpret_cast<decltype(Llvm::dispose)>(dlsym(library, "LLVMDisasmDispose")),
                     reinterpret_cast<decltype(Llvm::disassemble)>(dlsym(library, "LLVMDisasmInstruction"))};
    if (found.create == nullptr || found.dispose == nullptr || found.disassemble == nullptr)
      return std::nullopt;
    return found;
  }();
  return opened ? &*opened : nullptr;
}

}  // namespace

Expected<Disassembler> Disassembler::of(const std::string& target) {
  const Llvm* found = llvm();
  if (found == nullptr)
    return std::unexpected(
        Error{"disassembler", "library", kLibrary, "cannot be opened (Debian: libllvm22)"});
  void* context = found->create("amdgcn-amd-amdhsa", target.c_str(), nullptr, 0, nullptr, nullptr);
  if (context == nullptr)
    return std::unexpected(Error{"disassembler", "target", target, "is not known to LLVM"});
  return Disassembler(std::shared_ptr<void>(context, found->dispose));
}

Disassembler::Line Disassembler::at(std::span<const std::byte> code) const {
  // LLVM takes bytes that it may write to.
  std::array<std::uint8_t, kLongestInstruction> bytes{};
  const std::size_t count = std::min(code.size(), bytes.size());
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(code[i]);
  std::array<char, 512> text{};
  const std::size_t used =
      llvm()->disassemble(context.get(), bytes.data(), count, 0, text.data(), text.size());
  Line line{static_cast<std::uint32_t>(used), text.data()};
  line.text.erase(0, line.text.find_first_not_of(" \t"));
  return line;
}

}  // namespace pageproof::machine
