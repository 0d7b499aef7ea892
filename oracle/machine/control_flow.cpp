// Branches, waits, the barrier and the end. A branch's distance and a wait's counts are read from the
// encoding, 16 bits of it.
#include "oracle/machine/families.hpp"
#include "oracle/machine/wave.hpp"

namespace pageproof::machine {
namespace {

enum class When : std::uint32_t { always, scc0, scc1, vccz, vccnz, execz, execnz };

bool taken(const Wave& wave, When when) {
  constexpr Operand vcc{OperandKind::scalar, 2, kVcc, 0};
  switch (when) {
    case When::always:
      return true;
    case When::scc0:
    case When::scc1:
      if (!wave.scc.defined) refute(Check::undefined_value, "a branch's condition is undefined");
      return wave.scc.value == (when == When::scc1);
    case When::vccz:
      return wave.decided64(vcc, "a branch's condition") == 0;
    case When::vccnz:
      return wave.decided64(vcc, "a branch's condition") != 0;
    case When::execz:
      return wave.exec() == 0;
    case When::execnz:
      break;
  }
  return wave.exec() != 0;
}

// In words of 4 bytes, from the next instruction on. pc already stands there.
void branch(Wave& wave, const Instruction& in) {
  if (!taken(wave, static_cast<When>(in.opcode->parameter))) return;
  wave.pc +=
      4 * static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(in.encoding)));
}

// vmcnt in bits 0 ... 3 and 14, 15; lgkmcnt in bits 8 ... 11. A full field waits for nothing.
void wait(Wave& wave, const Instruction& in) {
  const std::uint32_t vector_memory = (in.encoding & 15) | (in.encoding >> 14 & 3) << 4;
  const std::uint32_t lds_and_scalar = in.encoding >> 8 & 15;
  if (vector_memory < 63) wave.wait(Wave::Queue::vector_memory, vector_memory);
  if (lds_and_scalar < 15) wave.wait(Wave::Queue::lds_and_scalar, lds_and_scalar);
}

void barrier(Wave& wave, const Instruction&) {
  wave.check_nothing_in_flight_at_barrier();
  wave.at_barrier = true;
}

void end(Wave& wave, const Instruction&) {
  wave.ended = true;
}

// Time, priority and caches: nothing that a value depends on.
void nothing(Wave&, const Instruction&) {}

constexpr std::uint32_t parameter(When when) {
  return static_cast<std::uint32_t>(when);
}

constexpr Opcode kTable[] = {
    {"s_branch", "*", branch, parameter(When::always)},
    {"s_cbranch_scc0", "*", branch, parameter(When::scc0)},
    {"s_cbranch_scc1", "*", branch, parameter(When::scc1)},
    {"s_cbranch_vccz", "*", branch, parameter(When::vccz)},
    {"s_cbranch_vccnz", "*", branch, parameter(When::vccnz)},
    {"s_cbranch_execz", "*", branch, parameter(When::execz)},
    {"s_cbranch_execnz", "*", branch, parameter(When::execnz)},
    {"s_waitcnt", "*", wait},
    {"s_barrier", "*", barrier},
    {"s_endpgm", "*", end},
    {"s_nop", "*", nothing},
    {"s_setprio", "*", nothing},
    {"s_sleep", "*", nothing},
    {"buffer_inv", "*", nothing},
    {"buffer_wbl2", "*", nothing},
    {"buffer_wbinvl1", "*", nothing},
};

}  // namespace

std::span<const Opcode> control_flow() {
  return kTable;
}

}  // namespace pageproof::machine
