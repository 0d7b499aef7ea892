// One lane's data between memory and vector registers, shared by the LDS and by global memory.
#pragma once

#include <span>

#include "oracle/machine/wave.hpp"

namespace pageproof::machine {

// Bits of an access opcode's parameter.
inline constexpr std::uint32_t kSigned = 1;     // a byte or half is sign-extended
inline constexpr std::uint32_t kHalf = 2;       // the other half of the register is kept
inline constexpr std::uint32_t kHighHalf = 4;   // the register's high half is meant
inline constexpr std::uint32_t kTwo = 8;        // two places, offset and offset1, in units of the width
inline constexpr std::uint32_t kStride64 = 16;  // and those in units of 64 widths

// `bytes` become the lane's registers `part` ... of the destination.
inline void load_lane(Wave& wave, const Instruction& in, std::uint32_t part, std::uint32_t lane,
                      std::span<const Byte> bytes) {
  const std::uint32_t parameter = in.opcode->parameter;
  if (bytes.size() >= 4) {
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
      wave.set_vector(in.operand[0], part + static_cast<std::uint32_t>(i / 4))
          .set(lane, {bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]});
    }
    return;
  }
  VectorRegister& to = wave.set_vector(in.operand[0], part);
  Word word = (parameter & kHalf) != 0 ? to.at(lane) : Word{};
  const std::size_t first = (parameter & kHighHalf) != 0 ? 2 : 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) word[first + i] = bytes[i];
  if ((parameter & kSigned) != 0) {
    const Byte top = bytes.back();
    const Byte sign = is_known(top) ? (top >> 7 != 0 ? 0xff : 0) : meaningless(top);
    for (std::size_t i = bytes.size(); i < 4; ++i) word[i] = sign;
  }
  to.set(lane, word);
}

// Marks the destination as in flight.
inline void issue_load(Wave& wave, const Instruction& in, Wave::Queue queue, Wave::Access access) {
  const std::uint32_t places = (in.opcode->parameter & kTwo) != 0 ? 2 : 1;
  const std::uint32_t registers = (in.opcode->access_bytes + 3u) / 4 * places;
  wave.issue(queue, access, in.operand[0], registers);
}

// The lane's bytes of a stored operand.
inline void store_lane(const Instruction& in, std::span<const VectorRegister* const> from, std::uint32_t lane,
                       std::span<Byte> bytes) {
  const std::uint32_t first = (in.opcode->parameter & kHighHalf) != 0 ? 2 : 0;
  for (std::uint32_t i = 0; i < bytes.size(); i += 4) {
    const Word word = from[i / 4]->at(lane);
    for (std::uint32_t b = 0; b < 4 && i + b < bytes.size(); ++b) bytes[i + b] = word[first + b];
  }
}

}  // namespace pageproof::machine
