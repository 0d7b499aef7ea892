// Instructions that come too soon behind another: hardware reads an old value then, or overwrites one that is
// still to be stored, and nothing holds it up. Assemblers put s_nop between; every instruction is one wait
// state, s_nop as many as it says. Wait states that must lie between:
//
//   a vector operation writes a scalar register, a vector operation reads it       2   gfx940 and later
//   a vector operation writes a scalar register, a global access reads it          5
//   a vector operation writes a vector register, v_readfirstlane reads it          1   gfx940 and later
//   a global store of more than 8 bytes, a vector operation overwrites its data    1, gfx940 and later 2
//
// These are all that the instructions modelled here can fall into. Source: AMD, "Instinct MI300" ISA guide,
// "Manually Inserted Wait States"; LLVM, GCNHazardRecognizer, checkVALUHazards and checkVMEMHazards.
#pragma once

#include <array>
#include <cstdint>

#include "oracle/machine/instruction.hpp"

namespace pageproof::machine {

// The wait states that an instruction is.
std::uint32_t wait_states(const Instruction& instruction);

// Of one wave.
class Hazards {
 public:
  explicit Hazards(bool is_gfx940) : gfx940(is_gfx940) {}
  void restart();

  // The wave's next instruction: refuted where it comes too soon.
  void issue(const Instruction& instruction);

 private:
  struct Span {
    std::uint32_t first = 0;
    std::uint32_t registers = 0;
    std::uint64_t at = 0;  // behind which wait state
  };
  void read(const Operand& operand, std::uint64_t needed) const;

  bool gfx940;
  std::uint64_t now = 0;                                  // wait states up to here
  std::array<std::uint64_t, kScalarRegisters> written{};  // by a vector operation, behind which wait state
  Span vector_written;                                    // by the last vector operation
  std::array<Span, 2> stored;                             // by the last wide stores
};

}  // namespace pageproof::machine
