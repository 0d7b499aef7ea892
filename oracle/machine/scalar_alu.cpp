// Scalar arithmetic: what is the same for a whole wave. Undefined in, undefined out; scalar registers never
// hold data.
#include <algorithm>
#include <bit>

#include "oracle/machine/families.hpp"
#include "oracle/machine/wave.hpp"

namespace pageproof::machine {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;

// A result and the condition that goes with it.
template <class Number>
struct Result {
  Number value;
  bool condition;
};

// What the condition bit becomes.
enum class Scc : std::uint8_t { kept, set };

template <class Number>
auto read(const Wave& wave, const Operand& operand) {
  if constexpr (sizeof(Number) == 8) {
    return wave.scalar64(operand);
  } else {
    return wave.scalar(operand);
  }
}

template <class Number>
void write(Wave& wave, const Operand& operand, Number value, bool defined) {
  if constexpr (sizeof(Number) == 8) {
    wave.set_scalar64(operand, {value, defined});
  } else {
    wave.set_scalar(operand, {value, defined});
  }
}

template <class Number, Scc kScc, Result<Number> (*kFunction)(Number)>
void one(Wave& wave, const Instruction& in) {
  const auto a = read<Number>(wave, in.operand[1]);
  const Result<Number> result = kFunction(a.value);
  write<Number>(wave, in.operand[0], result.value, a.defined);
  if (kScc == Scc::set) wave.scc = {result.condition, a.defined};
}

// The second source of a 64-bit shift is 32 bits wide.
template <class Number, class Second, Scc kScc, Result<Number> (*kFunction)(Number, Second)>
void two(Wave& wave, const Instruction& in) {
  const auto a = read<Number>(wave, in.operand[1]);
  const auto b = read<Second>(wave, in.operand[2]);
  const Result<Number> result = kFunction(static_cast<Number>(a.value), static_cast<Second>(b.value));
  write<Number>(wave, in.operand[0], result.value, a.defined && b.defined);
  if (kScc == Scc::set) wave.scc = {result.condition, a.defined && b.defined};
}
template <Result<u32> (*kFunction)(u32, u32)>
constexpr Execute two32 = two<u32, u32, Scc::set, kFunction>;
template <Result<u64> (*kFunction)(u64, u64)>
constexpr Execute two64 = two<u64, u64, Scc::set, kFunction>;

Result<u32> add(u32 a, u32 b) {
  return {a + b, a + b < a};
}
Result<u32> subtract(u32 a, u32 b) {
  return {a - b, a < b};
}
Result<u32> add_signed(u32 a, u32 b) {
  const u32 sum = a + b;
  return {sum, ((a ^ sum) & (b ^ sum)) >> 31 != 0};
}
Result<u32> subtract_signed(u32 a, u32 b) {
  const u32 difference = a - b;
  return {difference, ((a ^ b) & (a ^ difference)) >> 31 != 0};
}
template <u32 kBits>
Result<u32> shift_then_add(u32 a, u32 b) {
  const u64 sum = (u64{a} << kBits) + b;
  return {static_cast<u32>(sum), sum >> 32 != 0};
}
Result<u32> multiply(u32 a, u32 b) {
  return {a * b, false};
}
Result<u32> multiply_high(u32 a, u32 b) {
  return {static_cast<u32>(u64{a} * b >> 32), false};
}
Result<u32> multiply_high_signed(u32 a, u32 b) {
  return {static_cast<u32>(static_cast<u64>(std::int64_t{static_cast<i32>(a)} * static_cast<i32>(b)) >> 32),
          false};
}
Result<u32> smaller(u32 a, u32 b) {
  return {std::min(a, b), a < b};
}
Result<u32> smaller_signed(u32 a, u32 b) {
  const bool first = static_cast<i32>(a) < static_cast<i32>(b);
  return {first ? a : b, first};
}

template <class Number>
constexpr Result<Number> nonzero(Number value) {
  return {value, value != 0};
}
template <class N>
Result<N> and_(N a, N b) {
  return nonzero<N>(a & b);
}
template <class N>
Result<N> or_(N a, N b) {
  return nonzero<N>(a | b);
}
template <class N>
Result<N> xor_(N a, N b) {
  return nonzero<N>(a ^ b);
}
template <class N>
Result<N> and_not(N a, N b) {
  return nonzero<N>(a & ~b);
}
template <class N>
Result<N> or_not(N a, N b) {
  return nonzero<N>(a | ~b);
}
template <class N>
Result<N> nand(N a, N b) {
  return nonzero<N>(~(a & b));
}
template <class N>
Result<N> nor(N a, N b) {
  return nonzero<N>(~(a | b));
}
template <class N>
Result<N> xnor(N a, N b) {
  return nonzero<N>(~(a ^ b));
}
template <class N>
Result<N> not_(N a) {
  return nonzero<N>(~a);
}
template <class N>
Result<N> move(N a) {
  return {a, false};
}
constexpr u32 kMask32 = 31, kMask64 = 63;
template <class N>
constexpr u32 count_of(u32 bits) {
  return bits & (sizeof(N) == 8 ? kMask64 : kMask32);
}
template <class N>
Result<N> left(N a, u32 bits) {
  return nonzero<N>(a << count_of<N>(bits));
}
template <class N>
Result<N> right(N a, u32 bits) {
  return nonzero<N>(a >> count_of<N>(bits));
}
template <class N>
Result<N> right_signed(N a, u32 bits) {
  return nonzero<N>(static_cast<N>(static_cast<std::make_signed_t<N>>(a) >> count_of<N>(bits)));
}
// Offset in bits 0 ..., width in bits 16 ... 22.
template <class N>
Result<N> extract(N a, u32 field) {
  const u32 width = field >> 16 & 127;
  const N shifted = a >> count_of<N>(field);
  return nonzero<N>(width >= 8 * sizeof(N) ? shifted : shifted & ((N{1} << width) - 1));
}
// Ones: a of them, from bit b on.
Result<u32> mask(u32 a, u32 b) {
  return {((u32{1} << (a & 31)) - 1) << (b & 31), false};
}
Result<u32> pack_low_low(u32 a, u32 b) {
  return {(a & 0xffff) | b << 16, false};
}
Result<u32> pack_low_high(u32 a, u32 b) {
  return {(a & 0xffff) | (b & 0xffff0000), false};
}
Result<u32> pack_high_high(u32 a, u32 b) {
  return {a >> 16 | (b & 0xffff0000), false};
}
Result<u32> extend_byte(u32 a) {
  return {static_cast<u32>(static_cast<i32>(static_cast<std::int8_t>(a))), false};
}
Result<u32> extend_half(u32 a) {
  return {static_cast<u32>(static_cast<i32>(static_cast<std::int16_t>(a))), false};
}
Result<u32> count_ones(u32 a) {
  return nonzero<u32>(static_cast<u32>(std::popcount(a)));
}

// With the condition as carry in and out.
void add_with_carry(Wave& wave, const Instruction& in) {
  const ScalarRegister a = wave.scalar(in.operand[1]);
  const ScalarRegister b = wave.scalar(in.operand[2]);
  const bool defined = a.defined && b.defined && wave.scc.defined;
  const u64 sum = u64{a.value} + b.value + (wave.scc.value ? 1 : 0);
  wave.set_scalar(in.operand[0], {static_cast<u32>(sum), defined});
  wave.scc = {sum >> 32 != 0, defined};
}
void subtract_with_borrow(Wave& wave, const Instruction& in) {
  const ScalarRegister a = wave.scalar(in.operand[1]);
  const ScalarRegister b = wave.scalar(in.operand[2]);
  const bool defined = a.defined && b.defined && wave.scc.defined;
  const u64 difference = u64{a.value} - b.value - (wave.scc.value ? 1 : 0);
  wave.set_scalar(in.operand[0], {static_cast<u32>(difference), defined});
  wave.scc = {difference >> 32 != 0, defined};
}

// The condition is whether the first is taken. Guides differ on what it becomes where both are equal, so it
// is undefined then.
template <class Compared>
void larger(Wave& wave, const Instruction& in) {
  const ScalarRegister a = wave.scalar(in.operand[1]);
  const ScalarRegister b = wave.scalar(in.operand[2]);
  const bool defined = a.defined && b.defined;
  const bool first = static_cast<Compared>(a.value) > static_cast<Compared>(b.value);
  wave.set_scalar(in.operand[0], {first ? a.value : b.value, defined});
  wave.scc = {first, defined && a.value != b.value};
}

template <class Number>
void select(Wave& wave, const Instruction& in) {
  if (!wave.scc.defined) refute(Check::undefined_value, "a choice is undefined");
  const auto chosen = read<Number>(wave, in.operand[wave.scc.value ? 1 : 2]);
  write<Number>(wave, in.operand[0], static_cast<Number>(chosen.value), chosen.defined);
}

// The constant is 16 bits of the encoding, sign-extended.
u32 short_constant(const Instruction& in) {
  return static_cast<u32>(static_cast<i32>(static_cast<std::int16_t>(in.encoding)));
}
void move_short(Wave& wave, const Instruction& in) {
  wave.set_scalar(in.operand[0], {short_constant(in), true});
}
void add_short(Wave& wave, const Instruction& in) {
  const ScalarRegister a = wave.scalar(in.operand[0]);
  const Result<u32> sum = add_signed(a.value, short_constant(in));
  wave.set_scalar(in.operand[0], {sum.value, a.defined});
  wave.scc = {sum.condition, a.defined};
}
void multiply_short(Wave& wave, const Instruction& in) {
  const ScalarRegister a = wave.scalar(in.operand[0]);
  wave.set_scalar(in.operand[0], {a.value * short_constant(in), a.defined});
}

// D becomes the mask of active lanes, which becomes f(source, mask).
template <Result<u64> (*kFunction)(u64, u64)>
void save_exec(Wave& wave, const Instruction& in) {
  const u64 source = wave.decided64(in.operand[1], "a mask of lanes");
  const u64 before = wave.exec();
  const Result<u64> after = kFunction(source, before);
  constexpr Operand exec{OperandKind::scalar, 2, kExec, 0};
  wave.set_scalar64(in.operand[0], {before, true});
  wave.set_scalar64(exec, {after.value, true});
  wave.scc = {after.condition, true};
}

template <class N, Result<N> (*kFunction)(N, u32)>
constexpr Execute shift = two<N, u32, Scc::set, kFunction>;
template <Result<u32> (*kFunction)(u32, u32)>
constexpr Execute two32_kept = two<u32, u32, Scc::kept, kFunction>;

constexpr Opcode kTable[] = {
    {"s_mov_b32", "S1c1", one<u32, Scc::kept, move<u32>>},
    {"s_mov_b64", "S2c2", one<u64, Scc::kept, move<u64>>},
    {"s_not_b32", "S1c1", one<u32, Scc::set, not_<u32>>},
    {"s_not_b64", "S2c2", one<u64, Scc::set, not_<u64>>},
    {"s_sext_i32_i8", "S1c1", one<u32, Scc::kept, extend_byte>},
    {"s_sext_i32_i16", "S1c1", one<u32, Scc::kept, extend_half>},
    {"s_bcnt1_i32_b32", "S1c1", one<u32, Scc::set, count_ones>},
    {"s_add_u32", "S1c1c1", two32<add>},
    {"s_sub_u32", "S1c1c1", two32<subtract>},
    {"s_add_i32", "S1c1c1", two32<add_signed>},
    {"s_sub_i32", "S1c1c1", two32<subtract_signed>},
    {"s_addc_u32", "S1c1c1", add_with_carry},
    {"s_subb_u32", "S1c1c1", subtract_with_borrow},
    {"s_lshl1_add_u32", "S1c1c1", two32<shift_then_add<1>>},
    {"s_lshl2_add_u32", "S1c1c1", two32<shift_then_add<2>>},
    {"s_lshl3_add_u32", "S1c1c1", two32<shift_then_add<3>>},
    {"s_lshl4_add_u32", "S1c1c1", two32<shift_then_add<4>>},
    {"s_mul_i32", "S1c1c1", two32_kept<multiply>},
    {"s_mul_hi_u32", "S1c1c1", two32_kept<multiply_high>},
    {"s_mul_hi_i32", "S1c1c1", two32_kept<multiply_high_signed>},
    {"s_min_u32", "S1c1c1", two32<smaller>},
    {"s_max_u32", "S1c1c1", larger<u32>},
    {"s_min_i32", "S1c1c1", two32<smaller_signed>},
    {"s_max_i32", "S1c1c1", larger<i32>},
    {"s_and_b32", "S1c1c1", two32<and_<u32>>},
    {"s_or_b32", "S1c1c1", two32<or_<u32>>},
    {"s_xor_b32", "S1c1c1", two32<xor_<u32>>},
    {"s_andn2_b32", "S1c1c1", two32<and_not<u32>>},
    {"s_orn2_b32", "S1c1c1", two32<or_not<u32>>},
    {"s_nand_b32", "S1c1c1", two32<nand<u32>>},
    {"s_nor_b32", "S1c1c1", two32<nor<u32>>},
    {"s_xnor_b32", "S1c1c1", two32<xnor<u32>>},
    {"s_and_b64", "S2c2c2", two64<and_<u64>>},
    {"s_or_b64", "S2c2c2", two64<or_<u64>>},
    {"s_xor_b64", "S2c2c2", two64<xor_<u64>>},
    {"s_andn2_b64", "S2c2c2", two64<and_not<u64>>},
    {"s_orn2_b64", "S2c2c2", two64<or_not<u64>>},
    {"s_nand_b64", "S2c2c2", two64<nand<u64>>},
    {"s_nor_b64", "S2c2c2", two64<nor<u64>>},
    {"s_xnor_b64", "S2c2c2", two64<xnor<u64>>},
    {"s_lshl_b32", "S1c1c1", shift<u32, left<u32>>},
    {"s_lshr_b32", "S1c1c1", shift<u32, right<u32>>},
    {"s_ashr_i32", "S1c1c1", shift<u32, right_signed<u32>>},
    {"s_bfe_u32", "S1c1c1", shift<u32, extract<u32>>},
    {"s_lshl_b64", "S2c2c1", shift<u64, left<u64>>},
    {"s_lshr_b64", "S2c2c1", shift<u64, right<u64>>},
    {"s_ashr_i64", "S2c2c1", shift<u64, right_signed<u64>>},
    {"s_bfe_u64", "S2c2c1", shift<u64, extract<u64>>},
    {"s_bfm_b32", "S1c1c1", two32_kept<mask>},
    {"s_pack_ll_b32_b16", "S1c1c1", two32_kept<pack_low_low>},
    {"s_pack_lh_b32_b16", "S1c1c1", two32_kept<pack_low_high>},
    {"s_pack_hh_b32_b16", "S1c1c1", two32_kept<pack_high_high>},
    {"s_cselect_b32", "S1c1c1", select<u32>},
    {"s_cselect_b64", "S2c2c2", select<u64>},
    {"s_movk_i32", "S1k1", move_short},
    {"s_addk_i32", "S1k1", add_short},
    {"s_mulk_i32", "S1k1", multiply_short},
    {"s_and_saveexec_b64", "S2c2", save_exec<and_<u64>>},
    {"s_or_saveexec_b64", "S2c2", save_exec<or_<u64>>},
    {"s_xor_saveexec_b64", "S2c2", save_exec<xor_<u64>>},
    {"s_andn2_saveexec_b64", "S2c2", save_exec<and_not<u64>>},
    {"s_orn2_saveexec_b64", "S2c2", save_exec<or_not<u64>>},
};

}  // namespace

std::span<const Opcode> scalar_alu() {
  return kTable;
}

}  // namespace pageproof::machine
