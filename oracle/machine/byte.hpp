// What a byte of memory or of a register holds while machine code runs on symbols:
//
//   0 ... 255           that number
//   input byte i        whatever byte i of the launch's data is
//   f(input byte i)     that, through a table of 256 entries; only where a launch is said to rewrite bytes
//   undefined           nothing that was ever written
//
// Moving a byte keeps what it holds. Operations that keep it whole (and with 0xff, or with 0x00 ...) stand
// here; any other arithmetic on data is refuted, or, where bytes may be rewritten, makes another table.
#pragma once

#include <cstdint>

#include "oracle/machine/refutation.hpp"

namespace pageproof::machine {

using Byte = std::uint32_t;  // of data: bit 31, 8 bits that number a table, 23 bits of the input byte

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
constexpr std::uint32_t map_of(Byte b) {
  return b >> 23 & 0xff;
}

// Of what an operation makes two bytes that are not both known; see byte_maps.hpp.
enum class ByteOp : std::uint8_t { and_, or_, xor_, shift_left, shift_right };
Byte combine(ByteOp op, Byte a, Byte b);

// For operations that have no meaning on bytes of data at all.
inline Byte meaningless(Byte b) {
  if (is_input(b)) refute(Check::data_arithmetic, "an operation that does not move data is applied to data");
  return kUndefined;
}

inline Byte byte_and(Byte a, Byte b) {
  if (is_known(a) && is_known(b)) return a & b;
  if (a == 0 || b == 0) return 0;
  if (a == 0xff) return b;
  if (b == 0xff || a == b) return a;
  return combine(ByteOp::and_, a, b);
}

inline Byte byte_or(Byte a, Byte b) {
  if (is_known(a) && is_known(b)) return a | b;
  if (a == 0xff || b == 0xff) return 0xff;
  if (a == 0) return b;
  if (b == 0 || a == b) return a;
  return combine(ByteOp::or_, a, b);
}

inline Byte byte_xor(Byte a, Byte b) {
  if (is_known(a) && is_known(b)) return a ^ b;
  if (a == 0) return b;
  if (b == 0) return a;
  return combine(ByteOp::xor_, a, b);
}

}  // namespace pageproof::machine
