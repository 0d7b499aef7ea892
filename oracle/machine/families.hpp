// The families of instructions, a file each: what every opcode does to a wave, beside its name. Meanings:
// AMD, "Instinct MI200" and "Instinct MI300" ISA reference guides, chapters "Instructions".
#pragma once

#include <span>

#include "oracle/machine/instruction.hpp"

namespace pageproof::machine {

std::span<const Opcode> scalar_alu();
std::span<const Opcode> scalar_memory();
std::span<const Opcode> vector_integer();
std::span<const Opcode> vector_moves();
std::span<const Opcode> compares();
std::span<const Opcode> lds();
std::span<const Opcode> global_memory();
std::span<const Opcode> control_flow();

}  // namespace pageproof::machine
