// Vector arithmetic on 32 and 64 bits: addresses and indices. Data in an active lane is refuted, but for sums
// and differences that rewrite its bytes one by one.
#include <algorithm>
#include <bit>

#include "oracle/machine/byte_maps.hpp"
#include "oracle/machine/families.hpp"
#include "oracle/machine/lanewise.hpp"

namespace pageproof::machine {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;

constexpr u32 low24(u32 a) {
  return a & 0xffffff;
}
constexpr u32 high_product(u32 a, u32 b) {
  return static_cast<u32>(u64{a} * b >> 32);
}

template <u32 (*kFunction)(u32)>
void one(Wave& wave, const Instruction& in) {
  lanewise_numbers<1>(wave, in, [](u32 a) { return kFunction(a); });
}
template <u32 (*kFunction)(u32, u32)>
void two(Wave& wave, const Instruction& in) {
  lanewise_numbers<2>(wave, in, [](u32 a, u32 b) { return kFunction(a, b); });
}
// Those that may also rewrite bytes of data.
template <u32 (*kOnNumbers)(u32, u32), Word (*kOnWords)(const Word&, const Word&)>
void bytewise(Wave& wave, const Instruction& in) {
  lanewise<2>(
      wave, in, [](u32 a, u32 b) { return kOnNumbers(a, b); },
      [](const Word& a, const Word& b) { return kOnWords(a, b); });
}
template <u32 (*kOnNumbers)(u32, u32, u32), Word (*kOnWords)(const Word&, const Word&, const Word&)>
void bytewise3(Wave& wave, const Instruction& in) {
  lanewise<3>(
      wave, in, [](u32 a, u32 b, u32 c) { return kOnNumbers(a, b, c); },
      [](const Word& a, const Word& b, const Word& c) { return kOnWords(a, b, c); });
}
template <u32 (*kFunction)(u32, u32, u32)>
void three(Wave& wave, const Instruction& in) {
  lanewise_numbers<3>(wave, in, [](u32 a, u32 b, u32 c) { return kFunction(a, b, c); });
}

u32 add(u32 a, u32 b) {
  return a + b;
}
u32 subtract(u32 a, u32 b) {
  return a - b;
}
u32 subtract_reversed(u32 a, u32 b) {
  return b - a;
}
Word subtract_reversed_words(const Word& a, const Word& b) {
  return subtract_words(b, a);
}
u32 multiply(u32 a, u32 b) {
  return a * b;
}
u32 multiply_high(u32 a, u32 b) {
  return high_product(a, b);
}
u32 multiply_high_signed(u32 a, u32 b) {
  return static_cast<u32>(static_cast<u64>(std::int64_t{static_cast<i32>(a)} * static_cast<i32>(b)) >> 32);
}
u32 multiply24(u32 a, u32 b) {
  return low24(a) * low24(b);
}
u32 multiply_high24(u32 a, u32 b) {
  return high_product(low24(a), low24(b));
}
u32 smaller(u32 a, u32 b) {
  return std::min(a, b);
}
u32 larger(u32 a, u32 b) {
  return std::max(a, b);
}
u32 smaller_signed(u32 a, u32 b) {
  return static_cast<u32>(std::min(static_cast<i32>(a), static_cast<i32>(b)));
}
u32 larger_signed(u32 a, u32 b) {
  return static_cast<u32>(std::max(static_cast<i32>(a), static_cast<i32>(b)));
}
u32 shift_right_signed(u32 bits, u32 a) {
  return static_cast<u32>(static_cast<i32>(a) >> (bits & 31));
}
u32 reverse_bits(u32 a) {
  u32 reversed = 0;
  for (u32 i = 0; i < 32; ++i) reversed |= (a >> i & 1) << (31 - i);
  return reversed;
}
u32 first_bit_high(u32 a) {
  return a == 0 ? ~u32{0} : static_cast<u32>(std::countl_zero(a));
}
u32 add3(u32 a, u32 b, u32 c) {
  return a + b + c;
}
u32 shift_then_add(u32 a, u32 b, u32 c) {
  return (a << (b & 31)) + c;
}
u32 add_then_shift(u32 a, u32 b, u32 c) {
  return (a + b) << (c & 31);
}
u32 xor_then_add(u32 a, u32 b, u32 c) {
  return (a ^ b) + c;
}
Word add3_words(const Word& a, const Word& b, const Word& c) {
  return add_words(add_words(a, b), c);
}
Word shift_then_add_words(const Word& a, const Word& b, const Word& c) {
  return add_words(shift_left(a, b), c);
}
Word xor_then_add_words(const Word& a, const Word& b, const Word& c) {
  return add_words(a ^ b, c);
}
u32 multiply24_then_add(u32 a, u32 b, u32 c) {
  return low24(a) * low24(b) + c;
}
u32 extract_signed(u32 a, u32 offset, u32 width) {
  const u32 bits = width & 31;
  if (bits == 0) return 0;
  const u32 field = a >> (offset & 31) & ((u32{1} << bits) - 1);
  const u32 sign = u32{1} << (bits - 1);
  return (field ^ sign) - sign;
}
u32 smallest3(u32 a, u32 b, u32 c) {
  return std::min({a, b, c});
}
u32 largest3(u32 a, u32 b, u32 c) {
  return std::max({a, b, c});
}

// v_lshl_add_u64: shifts of 0 to 4 only.
void shift_then_add64(Wave& wave, const Instruction& in) {
  const Source64 a = source64(wave, in.operand[1]);
  const Source64 c = source64(wave, in.operand[3]);
  LaneValues broadcast;
  const Source bits = wave.source(in.operand[2], broadcast);
  if ((bits.not_numbers & wave.exec()) != 0) refute(Check::undefined_value, "a count of bits is no number");
  std::array<u64, kLanes> result;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    if (has_lane(wave.exec(), lane) && (bits.value[lane] & 7) > 4)
      refute(Check::instruction, "v_lshl_add_u64 shifts by more than 4");
    result[lane] = (a.value[lane] << (bits.value[lane] & 7)) + c.value[lane];
  }
  write64(wave, in.operand[0], result, a.undefined | c.undefined);
}

// v_mad_u64_u32: D, carry-out, a, b, c(64). Compilers take it for sums of 32 bits, too, whatever the high
// half of c holds: the result's low half does not depend on that.
void multiply_then_add64(Wave& wave, const Instruction& in) {
  LaneValues broadcast[4];
  const Source a = wave.source(in.operand[2], broadcast[0]);
  const Source b = wave.source(in.operand[3], broadcast[1]);
  const Source low = wave.source(in.operand[4], broadcast[2], 0);
  const Source high = wave.source(in.operand[4], broadcast[3], 1);
  const LaneMask undefined = (a.not_numbers | b.not_numbers | low.not_numbers) & wave.exec();
  const LaneMask undefined_high = undefined | (high.not_numbers & wave.exec());
  std::array<u64, kLanes> result;
  u64 carries = 0;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    if (has_lane(undefined, lane)) arithmetic(a.at(lane), b.at(lane), low.at(lane));
    const u64 product = u64{a.value[lane]} * b.value[lane];
    result[lane] = product + (u64{high.value[lane]} << 32 | low.value[lane]);
    if (has_lane(wave.exec(), lane) && result[lane] < product) carries |= u64{1} << lane;
  }
  write64(wave, in.operand[0], result, undefined);
  wave.set_vector(in.operand[0], 1).undefined |= undefined_high;
  wave.set_scalar64(in.operand[1], {carries, undefined_high == 0});
}

// D, carry-out, a, b [, carry-in].
constexpr u32 kSubtract = 1, kReversed = 2, kCarryIn = 4;
void with_carry(Wave& wave, const Instruction& in) {
  const u32 kind = in.opcode->parameter;
  LaneValues broadcast[2];
  Source a = wave.source(in.operand[2], broadcast[0]);
  Source b = wave.source(in.operand[3], broadcast[1]);
  if ((kind & kReversed) != 0) std::swap(a, b);
  const u64 carries_in = (kind & kCarryIn) != 0 ? wave.decided64(in.operand[4], "a carry") : 0;
  const LaneMask undefined = (a.not_numbers | b.not_numbers) & wave.exec();
  LaneValues result;
  u64 carries = 0;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    if (has_lane(undefined, lane)) arithmetic(a.at(lane), b.at(lane));
    const u64 carry = carries_in >> lane & 1;
    const u64 sum = (kind & kSubtract) != 0 ? u64{a.value[lane]} - b.value[lane] - carry
                                            : u64{a.value[lane]} + b.value[lane] + carry;
    result[lane] = static_cast<u32>(sum);
    if (has_lane(wave.exec(), lane) && sum >> 32 != 0) carries |= u64{1} << lane;
  }
  wave.write_values(in.operand[0], result);
  wave.set_vector(in.operand[0]).undefined |= undefined;
  wave.set_scalar64(in.operand[1], {carries, undefined == 0});
}

constexpr Opcode kTable[] = {
    {"v_add_u32", "V1a1a1", bytewise<add, add_words>},
    {"v_sub_u32", "V1a1a1", bytewise<subtract, subtract_words>},
    {"v_subrev_u32", "V1a1a1", bytewise<subtract_reversed, subtract_reversed_words>},
    {"v_mul_lo_u32", "V1a1a1", two<multiply>},
    {"v_mul_hi_u32", "V1a1a1", two<multiply_high>},
    {"v_mul_hi_i32", "V1a1a1", two<multiply_high_signed>},
    {"v_mul_u32_u24", "V1a1a1", two<multiply24>},
    {"v_mul_hi_u32_u24", "V1a1a1", two<multiply_high24>},
    {"v_min_u32", "V1a1a1", two<smaller>},
    {"v_max_u32", "V1a1a1", two<larger>},
    {"v_min_i32", "V1a1a1", two<smaller_signed>},
    {"v_max_i32", "V1a1a1", two<larger_signed>},
    {"v_ashrrev_i32", "V1a1a1", two<shift_right_signed>},
    {"v_bfrev_b32", "V1a1", one<reverse_bits>},
    {"v_ffbh_u32", "V1a1", one<first_bit_high>},
    {"v_add3_u32", "V1a1a1a1", bytewise3<add3, add3_words>},
    {"v_lshl_add_u32", "V1a1a1a1", bytewise3<shift_then_add, shift_then_add_words>},
    {"v_add_lshl_u32", "V1a1a1a1", three<add_then_shift>},
    {"v_xad_u32", "V1a1a1a1", bytewise3<xor_then_add, xor_then_add_words>},
    {"v_mad_u32_u24", "V1a1a1a1", three<multiply24_then_add>},
    {"v_bfe_i32", "V1a1a1a1", three<extract_signed>},
    {"v_min3_u32", "V1a1a1a1", three<smallest3>},
    {"v_max3_u32", "V1a1a1a1", three<largest3>},
    {"v_lshl_add_u64", "V2a2a1a2", shift_then_add64},
    {"v_mad_u64_u32", "V2S2a1a1a2", multiply_then_add64},
    {"v_add_co_u32", "V1S2a1a1", with_carry, 0},
    {"v_sub_co_u32", "V1S2a1a1", with_carry, kSubtract},
    {"v_subrev_co_u32", "V1S2a1a1", with_carry, kSubtract | kReversed},
    {"v_addc_co_u32", "V1S2a1a1s2", with_carry, kCarryIn},
    {"v_subb_co_u32", "V1S2a1a1s2", with_carry, kSubtract | kCarryIn},
    {"v_subbrev_co_u32", "V1S2a1a1s2", with_carry, kSubtract | kReversed | kCarryIn},
};

}  // namespace

std::span<const Opcode> vector_integer() {
  return kTable;
}

}  // namespace pageproof::machine
