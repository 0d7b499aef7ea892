// A kernel's machine code, decoded once: an instruction for every multiple of 4 bytes, so that a branch finds
// its target wherever it leads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/machine/code_object.hpp"
#include "oracle/machine/decoder.hpp"

namespace pageproof::machine {

struct Program {
  Kernel kernel;
  std::vector<Instruction> at;  // index: byte / 4
  // The narrowest access to memory of the code as it stands; accesses are multiples of it.
  std::uint32_t narrowest_access = 16;

  // Where code begins an instruction when it is read from its entry on.
  std::vector<std::uint32_t> listing() const;
};

Program decode_program(const Disassembler& disassembler, Kernel kernel);

// Changes one bit of the code, and what is decoded from it; a second time changes it back. Bit 0 is the
// lowest of the first byte.
void flip_bit(const Disassembler& disassembler, Program& program, std::uint64_t bit);

}  // namespace pageproof::machine
