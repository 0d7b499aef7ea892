// Reads an AMD code object, the ELF file that the driver loads: the target, and of each kernel its machine
// code, its descriptor and its arguments.
//
// Source: LLVM, "User Guide for AMDGPU Backend": Code Object (ELF header, note records, metadata V5), Kernel
// Descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::machine {

struct KernelArgument {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::string kind;  // "by_value", "hidden_group_size_x"
};

struct Kernel {
  std::string name;
  std::vector<std::byte> code;  // from its entry on
  std::vector<KernelArgument> arguments;
  std::uint64_t kernarg_bytes = 0;
  std::uint64_t lds_bytes = 0;  // static; a launch may add dynamic LDS
  std::uint64_t scratch_bytes = 0;
  std::uint32_t most_work_items = 0;
  std::uint32_t vector_registers = 0;   // allocated, accumulators included
  std::uint32_t first_accumulator = 0;  // a[0] is this vector register
  std::uint32_t user_registers = 0;     // scalar registers before the workgroup's id
  std::uint32_t wants = 0;              // bit i: user register i of the descriptor's list is enabled
  bool group_id[3] = {};                // which of x, y, z follow the user registers
  bool gfx940 = false;                  // the target is of that family
};

struct CodeObject {
  std::string target;  // "gfx942"
  std::vector<Kernel> kernels;
};

// `name` is what errors call the file.
Expected<CodeObject> read_code_object(std::span<const std::byte> elf, const std::string& name);

}  // namespace pageproof::machine
