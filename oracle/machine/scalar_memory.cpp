// Loads into scalar registers: arguments, tables of layer bases, block ids. What is loaded must be known:
// data never reaches a scalar register.
#include "oracle/machine/families.hpp"
#include "oracle/machine/wave.hpp"

namespace pageproof::machine {
namespace {

// Parameter: registers loaded. The address is a multiple of 4: the hardware drops its two lowest bits, so an
// address that has them is refused.
void load(Wave& wave, const Instruction& in) {
  const std::uint32_t count = in.opcode->parameter;
  const std::uint64_t base = wave.decided64(in.operand[1], "an address");
  const Operand& offset = in.operand[2];
  const std::uint64_t more =
      offset.kind == OperandKind::constant ? offset.constant : wave.decided(offset, "an offset");
  const std::uint64_t address = base + more + static_cast<std::uint64_t>(std::int64_t{in.offset});
  if (address % 4 != 0) refute(Check::alignment, "a scalar load at {:#x}, no multiple of 4", address);
  Region& region = wave.group.memory.find(address, 4 * count, nullptr);
  const std::uint64_t at = address - region.base;
  wave.group.memory.note_read(region, at, 4 * count, wave.accessor(0));
  for (std::uint32_t i = 0; i < count; ++i) {
    Word word;
    for (std::uint32_t b = 0; b < 4; ++b) word[b] = region.bytes[at + 4 * i + b];
    if (!is_known(word)) arithmetic(word);
    wave.set_scalar(in.operand[0], is_known(word) ? ScalarRegister{value_of(word), true} : ScalarRegister{},
                    i);
  }
  wave.issue(Wave::Queue::lds_and_scalar, Wave::Access::scalar_load, in.operand[0], count);
}

constexpr Opcode kTable[] = {
    {"s_load_dword", "S1s2c1", load, 1},     {"s_load_dwordx2", "S2s2c1", load, 2},
    {"s_load_dwordx4", "S4s2c1", load, 4},   {"s_load_dwordx8", "S8s2c1", load, 8},
    {"s_load_dwordx16", "Sgs2c1", load, 16},
};

}  // namespace

std::span<const Opcode> scalar_memory() {
  return kTable;
}

}  // namespace pageproof::machine
