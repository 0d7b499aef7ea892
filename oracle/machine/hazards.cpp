#include "oracle/machine/hazards.hpp"

#include <algorithm>

#include "oracle/machine/refutation.hpp"

namespace pageproof::machine {
namespace {

constexpr std::uint64_t kLongAgo = 16;  // more than any hazard needs
constexpr std::uint64_t kVectorReadsScalar = 2, kGlobalReadsScalar = 5, kReadFirstLane = 1;

bool overlap(std::uint32_t first, std::uint32_t registers, std::uint32_t other, std::uint32_t of_other) {
  return first < other + of_other && other < first + registers;
}

}  // namespace

std::uint32_t wait_states(const Instruction& in) {
  return in.opcode != nullptr && in.opcode->name == "s_nop" ? (in.encoding & 15) + 1 : 1;
}

void Hazards::restart() {
  now = kLongAgo;
  written.fill(0);
  vector_written = {};
  stored = {};
}

// A scalar register, by what needs so many wait states since a vector operation wrote it.
void Hazards::read(const Operand& operand, std::uint64_t needed) const {
  if (operand.kind != OperandKind::scalar) return;
  for (std::uint32_t i = operand.index; i < std::uint32_t{operand.index} + operand.width; ++i) {
    if (now - written[i] >= needed) continue;
    refute(Check::hazard, "s{} is read {} wait states after a vector operation wrote it, and needs {}", i,
           now - written[i], needed);
  }
}

void Hazards::issue(const Instruction& in) {
  const Issue kind = in.opcode->issue();
  if (kind == Issue::vector_operation) {
    const bool first_lane = in.opcode->name == "v_readfirstlane_b32";
    for (std::size_t i = 0; 2 * i < in.opcode->shape.size(); ++i) {
      const Operand& operand = in.operand[i];
      const bool writes = in.opcode->shape[2 * i] == 'V' || in.opcode->shape[2 * i] == 'S';
      if (!writes && gfx940) read(operand, kVectorReadsScalar);
      if (!writes && gfx940 && first_lane && operand.kind == OperandKind::vector &&
          now - vector_written.at < kReadFirstLane &&
          overlap(operand.index, 1, vector_written.first, vector_written.registers)) {
        refute(Check::hazard, "v{} is read from one lane right after it is written", operand.index);
      }
      if (!writes || operand.kind != OperandKind::vector) continue;
      for (const Span& s : stored) {
        if (now - s.at >= (gfx940 ? 2u : 1u)) continue;
        if (overlap(operand.index, operand.width, s.first, s.registers))
          refute(Check::hazard, "v{} is overwritten {} wait states after a store of it", operand.index,
                 now - s.at);
      }
    }
    vector_written = {};
    for (std::size_t i = 0; 2 * i < in.opcode->shape.size(); ++i) {
      const Operand& operand = in.operand[i];
      if (in.opcode->shape[2 * i] == 'V') vector_written = {operand.index, operand.width, now + 1};
      if (in.opcode->shape[2 * i] != 'S') continue;
      for (std::uint32_t r = 0; r < operand.width; ++r) written[operand.index + r] = now + 1;
    }
  } else if (kind == Issue::global_access) {
    for (const Operand& operand : in.operand) read(operand, kGlobalReadsScalar);
    if (in.opcode->stores && in.opcode->access_bytes > 8) {
      stored[0] = stored[1];
      stored[1] = {in.operand[1].index, in.operand[1].width, now + 1};
    }
  }
  now += wait_states(in);
}

}  // namespace pageproof::machine
