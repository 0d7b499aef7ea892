// Comparisons: of lanes into a mask of lanes, of scalars into the condition bit. Data and what is undefined
// cannot be compared.
#include "oracle/machine/families.hpp"
#include "oracle/machine/lanewise.hpp"

namespace pageproof::machine {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

enum class Relation : std::uint8_t { equal, unequal, less, less_equal, greater, greater_equal };

template <Relation kRelation, class Number>
constexpr bool related(Number a, Number b) {
  switch (kRelation) {
    case Relation::equal:
      return a == b;
    case Relation::unequal:
      return a != b;
    case Relation::less:
      return a < b;
    case Relation::less_equal:
      return a <= b;
    case Relation::greater:
      return a > b;
    case Relation::greater_equal:
      break;
  }
  return a >= b;
}

// Inactive lanes give 0.
template <Relation kRelation, class Number>
void lanes(Wave& wave, const Instruction& in) {
  u64 mask = 0;
  if constexpr (sizeof(Number) == 8) {
    const Source64 a = source64(wave, in.operand[1]);
    const Source64 b = source64(wave, in.operand[2]);
    if ((a.undefined | b.undefined) != 0) refute(Check::undefined_value, "an undefined value is compared");
    for (u32 lane = 0; lane < kLanes; ++lane) {
      mask |= u64{related<kRelation>(static_cast<Number>(a.value[lane]), static_cast<Number>(b.value[lane]))}
              << lane;
    }
  } else {
    LaneValues broadcast[2];
    const Source a = wave.source(in.operand[1], broadcast[0]);
    const Source b = wave.source(in.operand[2], broadcast[1]);
    const LaneMask undefined = (a.not_numbers | b.not_numbers) & wave.exec();
    for (u32 lane = 0; lane < kLanes; ++lane) {
      if (has_lane(undefined, lane)) {
        arithmetic(a.at(lane), b.at(lane));
        refute(Check::undefined_value, "an undefined value is compared");
      }
      mask |= u64{related<kRelation>(static_cast<Number>(a.value[lane]), static_cast<Number>(b.value[lane]))}
              << lane;
    }
  }
  wave.set_scalar64(in.operand[0], {mask & wave.exec(), true});
}

template <Relation kRelation, class Number>
void scalars(Wave& wave, const Instruction& in) {
  if constexpr (sizeof(Number) == 8) {
    const auto a = wave.scalar64(in.operand[0]);
    const auto b = wave.scalar64(in.operand[1]);
    wave.scc = {related<kRelation>(static_cast<Number>(a.value), static_cast<Number>(b.value)),
                a.defined && b.defined};
  } else {
    const ScalarRegister a = wave.scalar(in.operand[0]);
    const ScalarRegister b = wave.scalar(in.operand[1]);
    wave.scc = {related<kRelation>(static_cast<Number>(a.value), static_cast<Number>(b.value)),
                a.defined && b.defined};
  }
}

// s_cmpk: a 16-bit constant, extended as the type says.
template <Relation kRelation, class Number>
void scalar_with_constant(Wave& wave, const Instruction& in) {
  const ScalarRegister a = wave.scalar(in.operand[0]);
  const auto bits = static_cast<std::uint16_t>(in.encoding);
  const Number b = std::is_signed_v<Number> ? static_cast<Number>(static_cast<std::int16_t>(bits))
                                            : static_cast<Number>(bits);
  wave.scc = {related<kRelation>(static_cast<Number>(a.value), b), a.defined};
}

using enum Relation;
constexpr Opcode kTable[] = {
    {"v_cmp_eq_u32", "S2a1a1", lanes<equal, u32>},
    {"v_cmp_ne_u32", "S2a1a1", lanes<unequal, u32>},
    {"v_cmp_lt_u32", "S2a1a1", lanes<less, u32>},
    {"v_cmp_le_u32", "S2a1a1", lanes<less_equal, u32>},
    {"v_cmp_gt_u32", "S2a1a1", lanes<greater, u32>},
    {"v_cmp_ge_u32", "S2a1a1", lanes<greater_equal, u32>},
    {"v_cmp_eq_i32", "S2a1a1", lanes<equal, i32>},
    {"v_cmp_ne_i32", "S2a1a1", lanes<unequal, i32>},
    {"v_cmp_lt_i32", "S2a1a1", lanes<less, i32>},
    {"v_cmp_le_i32", "S2a1a1", lanes<less_equal, i32>},
    {"v_cmp_gt_i32", "S2a1a1", lanes<greater, i32>},
    {"v_cmp_ge_i32", "S2a1a1", lanes<greater_equal, i32>},
    {"v_cmp_eq_u64", "S2a2a2", lanes<equal, u64>},
    {"v_cmp_ne_u64", "S2a2a2", lanes<unequal, u64>},
    {"v_cmp_lt_u64", "S2a2a2", lanes<less, u64>},
    {"v_cmp_le_u64", "S2a2a2", lanes<less_equal, u64>},
    {"v_cmp_gt_u64", "S2a2a2", lanes<greater, u64>},
    {"v_cmp_ge_u64", "S2a2a2", lanes<greater_equal, u64>},
    {"v_cmp_eq_i64", "S2a2a2", lanes<equal, i64>},
    {"v_cmp_ne_i64", "S2a2a2", lanes<unequal, i64>},
    {"v_cmp_lt_i64", "S2a2a2", lanes<less, i64>},
    {"v_cmp_le_i64", "S2a2a2", lanes<less_equal, i64>},
    {"v_cmp_gt_i64", "S2a2a2", lanes<greater, i64>},
    {"v_cmp_ge_i64", "S2a2a2", lanes<greater_equal, i64>},
    {"s_cmp_eq_u32", "c1c1", scalars<equal, u32>},
    {"s_cmp_lg_u32", "c1c1", scalars<unequal, u32>},
    {"s_cmp_lt_u32", "c1c1", scalars<less, u32>},
    {"s_cmp_le_u32", "c1c1", scalars<less_equal, u32>},
    {"s_cmp_gt_u32", "c1c1", scalars<greater, u32>},
    {"s_cmp_ge_u32", "c1c1", scalars<greater_equal, u32>},
    {"s_cmp_eq_i32", "c1c1", scalars<equal, i32>},
    {"s_cmp_lg_i32", "c1c1", scalars<unequal, i32>},
    {"s_cmp_lt_i32", "c1c1", scalars<less, i32>},
    {"s_cmp_le_i32", "c1c1", scalars<less_equal, i32>},
    {"s_cmp_gt_i32", "c1c1", scalars<greater, i32>},
    {"s_cmp_ge_i32", "c1c1", scalars<greater_equal, i32>},
    {"s_cmp_eq_u64", "c2c2", scalars<equal, u64>},
    {"s_cmp_lg_u64", "c2c2", scalars<unequal, u64>},
    {"s_cmpk_eq_u32", "s1k1", scalar_with_constant<equal, u32>},
    {"s_cmpk_lg_u32", "s1k1", scalar_with_constant<unequal, u32>},
    {"s_cmpk_lt_u32", "s1k1", scalar_with_constant<less, u32>},
    {"s_cmpk_le_u32", "s1k1", scalar_with_constant<less_equal, u32>},
    {"s_cmpk_gt_u32", "s1k1", scalar_with_constant<greater, u32>},
    {"s_cmpk_ge_u32", "s1k1", scalar_with_constant<greater_equal, u32>},
    {"s_cmpk_eq_i32", "s1k1", scalar_with_constant<equal, i32>},
    {"s_cmpk_lg_i32", "s1k1", scalar_with_constant<unequal, i32>},
    {"s_cmpk_lt_i32", "s1k1", scalar_with_constant<less, i32>},
    {"s_cmpk_le_i32", "s1k1", scalar_with_constant<less_equal, i32>},
    {"s_cmpk_gt_i32", "s1k1", scalar_with_constant<greater, i32>},
    {"s_cmpk_ge_i32", "s1k1", scalar_with_constant<greater_equal, i32>},
};

}  // namespace

std::span<const Opcode> compares() {
  return kTable;
}

}  // namespace pageproof::machine
