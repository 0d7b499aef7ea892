// Text of the disassembler to instructions whose opcode and operands are resolved. What is not understood
// becomes an instruction that says so, and is refuted only if it is executed: code that nothing reaches may
// be anything.
//
// A shape of operands, in an Opcode: one letter and a number of registers for each.
//
//   V1  vector register written       v1  vector register read      a1  vector, scalar or constant read
//   S1  scalar register written       s1  scalar register read      c1  scalar or constant read
//   k1  constant                      o0  "off", or a pair of scalar registers added to the address
//   p2  address: a pair of vector registers, or with a pair of scalar ones beside it a single register
//
// A width of g is 16; "*" is whatever the encoding says.
#pragma once

#include <span>

#include "oracle/machine/disassembler.hpp"
#include "oracle/machine/instruction.hpp"

namespace pageproof::machine {

// `code` begins with the instruction.
Instruction decode(const Disassembler& disassembler, std::span<const std::byte> code);

// The same from the text alone, and the first 32 bits of the encoding where the meaning lies there (branches,
// waits, 16-bit constants).
Instruction decode_text(std::string text, std::uint32_t encoding = 0);

// The tables of all families.
const Opcode* find_opcode(std::string_view name);
std::span<const std::span<const Opcode>> all_opcodes();

}  // namespace pageproof::machine
