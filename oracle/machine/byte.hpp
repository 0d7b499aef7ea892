// What a byte of memory or of a register holds while machine code runs on symbols:
//
//   0 ... 255      that number
//   input byte i   whatever byte i of the launch's data is (mapped through nothing: the byte itself)
//   undefined      nothing that was ever written
//
// Moving a byte keeps what it holds. The few operations that also keep an input byte (and with 0x00 or 0xff,
// or with 0x00 ...) stand here; any other arithmetic on one is refuted.
#pragma once

#include <cstdint>

#include "oracle/machine/refutation.hpp"

namespace pageproof::machine {

using Byte = std::uint32_t;

inline constexpr Byte kUndefined = 0x100;
inline constexpr Byte kInput = 0x8000'0000;
inline constexpr Byte kMostInputBytes = 0x0080'0000;  // of one launch

constexpr Byte input_byte(std::uint32_t index) {
  return kInput | index;
}
constexpr bool is_known(Byte b) {
  return b < 0x100;
}
constexpr bool is_input(Byte b) {
  return (b & kInput) != 0;
}
constexpr std::uint32_t input_index(Byte b) {
  return b & (kMostInputBytes - 1);
}

// Of two bytes of which one at least is not known.
inline Byte meaningless(Byte a, Byte b) {
  if (is_input(a) || is_input(b))
    refute(Check::data_arithmetic, "an operation that does not move data is applied to data");
  return kUndefined;
}

inline Byte byte_and(Byte a, Byte b) {
  if (is_known(a) && is_known(b)) return a & b;
  if (a == 0 || b == 0) return 0;
  if (a == 0xff) return b;
  if (b == 0xff || a == b) return a;
  return meaningless(a, b);
}

inline Byte byte_or(Byte a, Byte b) {
  if (is_known(a) && is_known(b)) return a | b;
  if (a == 0xff || b == 0xff) return 0xff;
  if (a == 0) return b;
  if (b == 0 || a == b) return a;
  return meaningless(a, b);
}

inline Byte byte_xor(Byte a, Byte b) {
  if (is_known(a) && is_known(b)) return a ^ b;
  if (a == 0) return b;
  if (b == 0) return a;
  return meaningless(a, b);
}

}  // namespace pageproof::machine
