// One decoded instruction: what it does (a function of its family), with operands resolved. Text is read
// once, when it is decoded; executing compares no strings.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pageproof::machine {

class Wave;

enum class OperandKind : std::uint8_t { none, vector, scalar, constant };

// Scalar registers by their numbers in the encoding.
inline constexpr std::uint16_t kVcc = 106;
inline constexpr std::uint16_t kM0 = 124;
inline constexpr std::uint16_t kExec = 126;
inline constexpr std::uint16_t kScalarRegisters = 128;
inline constexpr std::uint16_t kAccumulators = 256;  // vector register 256 + i is a[i]

struct Operand {
  OperandKind kind = OperandKind::none;
  std::uint8_t width = 1;      // 32-bit registers
  std::uint16_t index = 0;     // of the first
  std::uint64_t constant = 0;  // sign-extended

  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Instruction;
using Execute = void (*)(Wave&, const Instruction&);

// Which unit an instruction goes to, as far as hazards depend on it.
enum class Issue : std::uint8_t { other, vector_operation, global_access };

// A row of a family's table.
struct Opcode {
  std::string_view name;   // as LLVM prints it, without _e32 and _e64
  std::string_view shape;  // its operands, see decoder.hpp
  Execute execute = nullptr;
  std::uint32_t parameter = 0;    // the family's own
  std::uint8_t access_bytes = 0;  // of data, a lane; loads and stores of vector registers
  bool stores = false;

  constexpr Issue issue() const {
    if (name.starts_with("v_")) return Issue::vector_operation;
    return name.starts_with("global_") ? Issue::global_access : Issue::other;
  }
};

struct Instruction {
  const Opcode* opcode = nullptr;  // null: not modelled, `refusal` says why
  std::uint32_t bytes = 4;         // of its encoding
  std::uint32_t encoding = 0;      // the first 32 bits
  std::array<Operand, 5> operand{};
  std::int32_t offset = 0;               // "offset:16", "offset0:1", "bitop3:0x6c"
  std::int32_t offset1 = 0;              // "offset1:2"
  std::array<std::uint8_t, 2> op_sel{};  // of v_pk_mov_b32
  std::string text;                      // as LLVM prints it, cache hints and all
  std::string plain;                     // without cache hints
  std::string refusal;
};

}  // namespace pageproof::machine
