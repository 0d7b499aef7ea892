#include "oracle/machine/program.hpp"

#include <algorithm>

namespace pageproof::machine {
namespace {

constexpr std::size_t kLongestWords = 5;  // of an instruction

void measure(Program& program) {
  program.narrowest_access = 16;
  for (const std::uint32_t i : program.listing()) {
    const Instruction& instruction = program.at[i];
    if (instruction.opcode == nullptr || instruction.opcode->access_bytes == 0) continue;
    const std::uint32_t width = instruction.opcode->access_bytes;
    program.narrowest_access = std::min(program.narrowest_access, width == 12 ? 4 : width);
  }
}

}  // namespace

std::vector<std::uint32_t> Program::listing() const {
  std::vector<std::uint32_t> begins;
  for (std::uint32_t i = 0; i < at.size(); i += at[i].bytes / 4) begins.push_back(i);
  return begins;
}

Program decode_program(const Disassembler& disassembler, Kernel kernel) {
  Program program{std::move(kernel), {}, 16};
  const std::span<const std::byte> code = program.kernel.code;
  for (std::size_t i = 0; i < code.size(); i += 4)
    program.at.push_back(decode(disassembler, code.subspan(i)));
  measure(program);
  return program;
}

void flip_bit(const Disassembler& disassembler, Program& program, std::uint64_t bit) {
  program.kernel.code[bit / 8] ^= std::byte{1} << bit % 8;
  const std::span<const std::byte> code = program.kernel.code;
  const std::size_t last = bit / 32;
  for (std::size_t i = last < kLongestWords ? 0 : last - kLongestWords + 1; i <= last; ++i) {
    program.at[i] = decode(disassembler, code.subspan(4 * i));
  }
  measure(program);
}

}  // namespace pageproof::machine
