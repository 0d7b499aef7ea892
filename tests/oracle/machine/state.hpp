// A wave of its own for tests of single instructions: registers by their names, instructions by their text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "oracle/machine/decoder.hpp"
#include "oracle/machine/wave.hpp"

namespace pageproof::machine::tests {

class State {
 public:
  State() : memory(1), group{memory, lds, loads, stores, trace, 1, 1}, wave(group, kernel(), 0) {
    lds.reset(1024, 1);
    set("exec", ~std::uint64_t{0});
    set("vcc", 0);
    wave.scc = {false, true};
  }

  // "s3", "s[2:3]", "vcc", "exec", "m0", "scc", "pc"; "v3" and "v[2:3]" in all lanes. Pairs take 64 bits.
  void set(std::string_view name, std::uint64_t value) {
    if (name == "scc") {
      wave.scc = {value != 0, true};
      return;
    }
    if (name == "pc") {
      wave.pc = static_cast<std::uint32_t>(value);
      return;
    }
    const Operand operand = named(name);
    for (std::uint32_t part = 0; part < operand.width; ++part) {
      const auto word = static_cast<std::uint32_t>(value >> 32 * part);
      if (operand.kind == OperandKind::scalar) {
        wave.set_scalar(operand, {word, true}, part);
      } else {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane)
          wave.set_vector(operand, part).set(lane, word_of(word));
      }
    }
  }

  // Of a vector register: the lane.
  std::uint64_t get(std::string_view name, std::uint32_t lane = 0) const {
    if (name == "scc") return wave.scc.value ? 1 : 0;
    if (name == "pc") return wave.pc;
    const Operand operand = named(name);
    std::uint64_t value = 0;
    for (std::uint32_t part = operand.width; part-- > 0;) {
      const std::uint32_t word = operand.kind == OperandKind::scalar
                                     ? wave.decided(operand_part(operand, part), "it")
                                     : value_of(wave.vector(operand, part).at(lane));
      value = value << 32 | word;
    }
    return value;
  }

  // Executes one instruction; `pc` stands behind it, as in a launch.
  void run(const std::string& text, std::uint32_t encoding = 0) {
    const Instruction instruction = decode_text(text, encoding);
    if (instruction.opcode == nullptr) refute(Check::instruction, "{}", instruction.refusal);
    instruction.opcode->execute(wave, instruction);
  }

  static Operand named(std::string_view name) {
    const bool scalar = (name[0] != 'v' && name[0] != 'a') || name.starts_with("vcc");
    const std::string text =
        (scalar ? "s_mov_b" : "v_mov_b") +
        std::string(name.find(':') == name.npos && name != "vcc" && name != "exec" ? "32 " : "64 ");
    return decode_text(text + std::string(name) + ", 0").operand[0];
  }

  Memory memory;
  Lds lds;
  Traffic loads;
  Traffic stores;
  std::uint64_t trace = 0;
  Workgroup group;
  Wave wave;

 private:
  static Operand operand_part(Operand operand, std::uint32_t part) {
    operand.index = static_cast<std::uint16_t>(operand.index + part);
    operand.width = 1;
    return operand;
  }
  static Kernel kernel() {
    Kernel made;
    made.vector_registers = 128;
    made.first_accumulator = 120;
    return made;
  }
};

}  // namespace pageproof::machine::tests
