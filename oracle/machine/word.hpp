// Four bytes, lowest first: what a lane of a vector register holds where it is not simply a number. The
// operations are those that move bytes whole; each agrees with plain 32-bit arithmetic where all bytes are
// known, and the tests compare the two.
#pragma once

#include <array>
#include <bit>

#include "oracle/machine/byte.hpp"

namespace pageproof::machine {

using Word = std::array<Byte, 4>;

inline constexpr Word kUndefinedWord{kUndefined, kUndefined, kUndefined, kUndefined};

constexpr Word word_of(std::uint32_t value) {
  return {value & 0xff, value >> 8 & 0xff, value >> 16 & 0xff, value >> 24};
}
constexpr bool is_known(const Word& w) {
  return (w[0] | w[1] | w[2] | w[3]) < 0x100;
}
// @pre known
constexpr std::uint32_t value_of(const Word& w) {
  return w[0] | w[1] << 8 | w[2] << 16 | w[3] << 24;
}

inline Word operator&(const Word& a, const Word& b) {
  return {byte_and(a[0], b[0]), byte_and(a[1], b[1]), byte_and(a[2], b[2]), byte_and(a[3], b[3])};
}
inline Word operator|(const Word& a, const Word& b) {
  return {byte_or(a[0], b[0]), byte_or(a[1], b[1]), byte_or(a[2], b[2]), byte_or(a[3], b[3])};
}
inline Word operator^(const Word& a, const Word& b) {
  return {byte_xor(a[0], b[0]), byte_xor(a[1], b[1]), byte_xor(a[2], b[2]), byte_xor(a[3], b[3])};
}

// What an operation without a meaning on bytes makes of words that are not all known.
template <class... Words>
Word arithmetic(const Words&... words) {
  for (const Word& word : {words...}) {
    for (const Byte b : word) {
      if (is_input(b))
        refute(Check::data_arithmetic, "an operation that does not move data is applied to data");
    }
  }
  return kUndefinedWord;
}

// By known counts of bits. A count that is no multiple of 8 tears bytes: each byte of the result is made of
// parts of two, which data survives only where one of the parts is constant.
inline Byte high_part(Byte b, std::uint32_t bits) {  // the bits that a shift to the right by `bits` keeps
  return is_known(b) ? b >> bits : combine(ByteOp::shift_right, b, bits);
}
inline Byte low_part(Byte b, std::uint32_t bits) {
  return is_known(b) ? (b << bits) & 0xff : combine(ByteOp::shift_left, b, bits);
}

inline Word shift_left(const Word& a, const Word& bits) {
  if (!is_known(bits)) return arithmetic(a, bits);
  const std::uint32_t count = value_of(bits) & 31;
  if (is_known(a)) return word_of(value_of(a) << count);
  const std::uint32_t torn = count % 8;
  Word shifted{};
  for (std::uint32_t i = count / 8; i < 4; ++i) {
    const std::uint32_t from = i - count / 8;
    shifted[i] = torn == 0
                     ? a[from]
                     : byte_or(low_part(a[from], torn), from == 0 ? 0 : high_part(a[from - 1], 8 - torn));
  }
  return shifted;
}

// The low word of high:low moved right.
inline Word align_bits(const Word& high, const Word& low, const Word& bits) {
  if (!is_known(bits)) return arithmetic(high, low, bits);
  const std::uint32_t count = value_of(bits) & 31;
  if (is_known(high) && is_known(low)) {
    const std::uint64_t both = std::uint64_t{value_of(high)} << 32 | value_of(low);
    return word_of(static_cast<std::uint32_t>(both >> count));
  }
  const std::uint32_t torn = count % 8;
  const auto byte = [&](std::uint32_t i) { return i < 4 ? low[i] : i < 8 ? high[i - 4] : 0; };
  Word shifted{};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t from = i + count / 8;
    shifted[i] =
        torn == 0 ? byte(from) : byte_or(high_part(byte(from), torn), low_part(byte(from + 1), 8 - torn));
  }
  return shifted;
}
inline Word shift_right(const Word& a, const Word& bits) {
  return align_bits(Word{}, a, bits);
}

// `width` bits of a from bit `offset` on.
inline Word extract(const Word& a, const Word& offset, const Word& width) {
  if (!is_known(offset) || !is_known(width)) return arithmetic(a, offset, width);
  const std::uint32_t mask = (std::uint32_t{1} << (value_of(width) & 31)) - 1;
  return shift_right(a, offset) & word_of(mask);
}

// v_perm_b32: each byte of the selector names a byte of low (0 ... 3) or high (4 ... 7), a sign (8 ... 11),
// 0x00 (12) or 0xff (13 and above).
inline Word permute(const Word& high, const Word& low, const Word& selector) {
  Word picked{};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Byte s = selector[i];
    if (!is_known(s)) {
      picked[i] = meaningless(s);
    } else if (s < 4) {
      picked[i] = low[s];
    } else if (s < 8) {
      picked[i] = high[s - 4];
    } else if (s < 12) {
      const Byte of = s < 10 ? low[2 * (s - 8) + 1] : high[2 * (s - 10) + 1];
      picked[i] = is_known(of) ? (of >> 7 != 0 ? 0xff : 0) : meaningless(of);
    } else {
      picked[i] = s == 12 ? 0 : 0xff;
    }
  }
  return picked;
}

// Per bit, a where the mask is 1 and b where it is 0.
inline Word insert(const Word& mask, const Word& a, const Word& b) {
  if (!is_known(mask)) return arithmetic(mask, a, b);
  return (mask & a) | (word_of(~value_of(mask)) & b);
}

}  // namespace pageproof::machine
