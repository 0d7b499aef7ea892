// What a code of OCP e4m3 (e4m3fn) and a code of e4m3fnuz mean, and the rewrite of the one into the other,
// each stated for itself: that the rewrite halves every value is for the reader of both to check (256 codes).
//
//   e4m3      bias 7; NaN is S.1111.111; -0 is a zero        e4m3fnuz   bias 8; NaN is 0x80 and nothing else
//
// Source: page_layouts.md §4.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace pageproof::oracle {

// In units of 2^-10, the smallest magnitude that either format has; nothing: a NaN.
using Fp8Value = std::optional<std::int64_t>;

constexpr std::int64_t fp8_magnitude(std::uint8_t code, int bias) {
  const int exponent = code >> 3 & 15, mantissa = code & 7;
  // 2^(exponent - bias) · mantissa/8, in 2^-10; subnormals have the exponent of 1 and no leading bit.
  const int significand = exponent == 0 ? mantissa : 8 + mantissa;
  return std::int64_t{significand} << ((exponent == 0 ? 1 : exponent) - bias + 7);
}

constexpr Fp8Value e4m3_value(std::uint8_t code) {
  if ((code & 0x7F) == 0x7F) return std::nullopt;
  return code & 0x80 ? -fp8_magnitude(code, 7) : fp8_magnitude(code, 7);
}

constexpr Fp8Value e4m3fnuz_value(std::uint8_t code) {
  if (code == 0x80) return std::nullopt;
  return code & 0x80 ? -fp8_magnitude(code, 8) : fp8_magnitude(code, 8);
}

// The code that means half of it: three codes change.
constexpr std::uint8_t e4m3_to_e4m3fnuz(std::uint8_t code) {
  switch (code) {
    case 0x80:
      return 0x00;
    case 0x7F:
    case 0xFF:
      return 0x80;
    default:
      return code;
  }
}

}  // namespace pageproof::oracle
