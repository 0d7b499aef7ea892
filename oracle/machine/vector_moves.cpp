// Vector operations that move bits: the ones that data may pass through as long as its bytes stay whole.
#include <algorithm>
#include <bit>

#include "oracle/machine/families.hpp"
#include "oracle/machine/lanewise.hpp"

namespace pageproof::machine {
namespace {

using u32 = std::uint32_t;

template <u32 (*kOnNumbers)(u32, u32), Word (*kOnWords)(const Word&, const Word&)>
void two(Wave& wave, const Instruction& in) {
  lanewise<2>(
      wave, in, [](u32 a, u32 b) { return kOnNumbers(a, b); },
      [](const Word& a, const Word& b) { return kOnWords(a, b); });
}
template <u32 (*kOnNumbers)(u32, u32, u32), Word (*kOnWords)(const Word&, const Word&, const Word&)>
void three(Wave& wave, const Instruction& in) {
  lanewise<3>(
      wave, in, [](u32 a, u32 b, u32 c) { return kOnNumbers(a, b, c); },
      [](const Word& a, const Word& b, const Word& c) { return kOnWords(a, b, c); });
}

void move(Wave& wave, const Instruction& in) {
  lanewise<1>(wave, in, [](u32 a) { return a; }, [](const Word& a) { return a; });
}

u32 and_(u32 a, u32 b) {
  return a & b;
}
u32 or_(u32 a, u32 b) {
  return a | b;
}
u32 xor_(u32 a, u32 b) {
  return a ^ b;
}
Word and_words(const Word& a, const Word& b) {
  return a & b;
}
Word or_words(const Word& a, const Word& b) {
  return a | b;
}
Word xor_words(const Word& a, const Word& b) {
  return a ^ b;
}
void not_(Wave& wave, const Instruction& in) {
  lanewise<1>(wave, in, [](u32 a) { return ~a; }, [](const Word& a) { return a ^ word_of(~u32{0}); });
}

// The reversed shifts take the count first.
u32 left_reversed(u32 bits, u32 a) {
  return a << (bits & 31);
}
u32 right_reversed(u32 bits, u32 a) {
  return a >> (bits & 31);
}
Word left_reversed_words(const Word& bits, const Word& a) {
  return shift_left(a, bits);
}
Word right_reversed_words(const Word& bits, const Word& a) {
  return shift_right(a, bits);
}

u32 shift_then_or(u32 a, u32 b, u32 c) {
  return a << (b & 31) | c;
}
u32 and_then_or(u32 a, u32 b, u32 c) {
  return (a & b) | c;
}
u32 or3(u32 a, u32 b, u32 c) {
  return a | b | c;
}
Word shift_then_or_words(const Word& a, const Word& b, const Word& c) {
  return shift_left(a, b) | c;
}
Word and_then_or_words(const Word& a, const Word& b, const Word& c) {
  return (a & b) | c;
}
Word or3_words(const Word& a, const Word& b, const Word& c) {
  return (a | b) | c;
}

u32 extract_number(u32 a, u32 offset, u32 width) {
  return a >> (offset & 31) & ((u32{1} << (width & 31)) - 1);
}
u32 insert_number(u32 mask, u32 a, u32 b) {
  return (mask & a) | (~mask & b);
}
u32 align_bits_number(u32 high, u32 low, u32 bits) {
  return static_cast<u32>((std::uint64_t{high} << 32 | low) >> (bits & 31));
}
u32 align_bytes_number(u32 high, u32 low, u32 bytes) {
  return align_bits_number(high, low, 8 * (bytes & 3));
}
Word align_bytes(const Word& high, const Word& low, const Word& bytes) {
  if (!is_known(bytes)) return arithmetic(high, low, bytes);
  return align_bits(high, low, word_of(8 * (value_of(bytes) & 3)));
}
u32 permute_number(u32 high, u32 low, u32 selector) {
  return value_of(permute(word_of(high), word_of(low), word_of(selector)));
}
// The loop over numbers runs for lanes of data too, and a table of bytes is slow there.
void permute_lanes(Wave& wave, const Instruction& in) {
  lanewise<3>(
      wave, in, [](u32 high, u32 low, u32 selector) { return permute_number(high, low, selector); },
      [](const Word& high, const Word& low, const Word& selector) { return permute(high, low, selector); });
}

// v_bitop3_b32 (gfx950): bit i of the result is bit (a_i, b_i, c_i) of a table of 8.
void table_of_bits(Wave& wave, const Instruction& in) {
  const u32 table = static_cast<u32>(in.offset);
  const auto on_numbers = [table](u32 a, u32 b, u32 c) {
    u32 result = 0;
    for (u32 row = 0; row < 8; ++row) {
      const u32 ones = (table >> row & 1) != 0 ? ~u32{0} : 0;
      result |= ones & (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    }
    return result;
  };
  const auto on_words = [table](const Word& a, const Word& b, const Word& c) {
    const auto either = [](const Word& w, u32 is) { return is != 0 ? w : w ^ word_of(~u32{0}); };
    Word result{};
    for (u32 row = 0; row < 8; ++row) {
      if ((table >> row & 1) != 0)
        result = result | (either(a, row & 4) & either(b, row & 2) & either(c, row & 1));
    }
    return result;
  };
  lanewise<3>(wave, in, on_numbers, on_words);
}

void move64(Wave& wave, const Instruction& in) {
  LaneValues broadcast[2];
  Source source[2];
  VectorRegister moved[2];
  for (u32 part = 0; part < 2; ++part) {
    // v_pk_mov_b32 takes one half of each of two pairs.
    const bool packed = in.operand[2].kind != OperandKind::none;
    const Operand& from = in.operand[packed ? 1 + part : 1];
    source[part] = wave.source(from, broadcast[part], packed ? in.op_sel[part] : part);
    std::copy_n(source[part].value, kLanes, moved[part].value.begin());
    for (u32 lane = 0; lane < kLanes; ++lane) {
      if (has_lane(source[part].not_numbers & wave.exec(), lane))
        moved[part].word[lane] = source[part].at(lane);
    }
  }
  for (u32 part = 0; part < 2; ++part) {
    wave.write_values(in.operand[0], moved[part].value, part);
    VectorRegister& to = wave.set_vector(in.operand[0], part);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      if (has_lane(source[part].not_numbers & wave.exec(), lane)) to.set(lane, moved[part].word[lane]);
    }
  }
}

// v_lshlrev_b64 and the like: the count first.
enum class Shift : u32 { left, right, right_signed };
void shift64(Wave& wave, const Instruction& in) {
  LaneValues broadcast;
  const Source bits = wave.source(in.operand[1], broadcast);
  const Source64 a = source64(wave, in.operand[2]);
  const LaneMask undefined = a.undefined | (bits.not_numbers & wave.exec());
  std::array<std::uint64_t, kLanes> result;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    if (has_lane(bits.not_numbers & wave.exec(), lane)) arithmetic(bits.at(lane));
    const u32 count = bits.value[lane] & 63;
    switch (static_cast<Shift>(in.opcode->parameter)) {
      case Shift::left:
        result[lane] = a.value[lane] << count;
        break;
      case Shift::right:
        result[lane] = a.value[lane] >> count;
        break;
      case Shift::right_signed:
        result[lane] = static_cast<std::uint64_t>(static_cast<std::int64_t>(a.value[lane]) >> count);
        break;
    }
  }
  write64(wave, in.operand[0], result, undefined);
}

// v_cndmask_b32: a where the mask's bit is 0, b where it is 1.
void select(Wave& wave, const Instruction& in) {
  const std::uint64_t mask = wave.decided64(in.operand[3], "a choice of lanes");
  LaneValues broadcast[2];
  const Source a = wave.source(in.operand[1], broadcast[0]);
  const Source b = wave.source(in.operand[2], broadcast[1]);
  LaneValues values;
  std::array<Word, kLanes> words;
  const LaneMask data = ((a.not_numbers & ~mask) | (b.not_numbers & mask)) & wave.exec();
  for (u32 lane = 0; lane < kLanes; ++lane) {
    values[lane] = has_lane(mask, lane) ? b.value[lane] : a.value[lane];
    if (has_lane(data, lane)) words[lane] = (has_lane(mask, lane) ? b : a).at(lane);
  }
  wave.write_values(in.operand[0], values);
  VectorRegister& to = wave.set_vector(in.operand[0]);
  for (u32 lane = 0; lane < kLanes; ++lane) {
    if (has_lane(data, lane)) to.set(lane, words[lane]);
  }
}

// The first active lane; lane 0 where none is.
void read_first_lane(Wave& wave, const Instruction& in) {
  const u32 lane = wave.exec() == 0 ? 0 : static_cast<u32>(std::countr_zero(wave.exec()));
  LaneValues broadcast;
  const Word word = wave.source(in.operand[1], broadcast).at(lane);
  if (is_known(word)) {
    wave.set_scalar(in.operand[0], {value_of(word), true});
  } else {
    arithmetic(word);  // scalar registers hold no data
    wave.set_scalar(in.operand[0], {0, false});
  }
}

// v_mbcnt: ones of a below the lane, plus b. Parameter: the first lane of the half that a speaks of.
void count_below(Wave& wave, const Instruction& in) {
  LaneValues broadcast[2];
  const Source a = wave.source(in.operand[1], broadcast[0]);
  const Source b = wave.source(in.operand[2], broadcast[1]);
  const LaneMask undefined = (a.not_numbers | b.not_numbers) & wave.exec();
  LaneValues values;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    if (has_lane(undefined, lane)) arithmetic(a.at(lane), b.at(lane));
    const u32 below = lane <= in.opcode->parameter ? 0 : std::min<u32>(lane - in.opcode->parameter, 32);
    const u32 mask = static_cast<u32>((std::uint64_t{1} << below) - 1);
    values[lane] = static_cast<u32>(std::popcount(a.value[lane] & mask)) + b.value[lane];
  }
  wave.write_values(in.operand[0], values);
  wave.set_vector(in.operand[0]).undefined |= undefined;
}

constexpr auto parameter(Shift shift) {
  return static_cast<u32>(shift);
}

constexpr Opcode kTable[] = {
    {"v_mov_b32", "V1a1", move},
    {"v_accvgpr_read_b32", "V1v1", move},
    {"v_accvgpr_write_b32", "V1a1", move},
    {"v_not_b32", "V1a1", not_},
    {"v_and_b32", "V1a1a1", two<and_, and_words>},
    {"v_or_b32", "V1a1a1", two<or_, or_words>},
    {"v_xor_b32", "V1a1a1", two<xor_, xor_words>},
    {"v_lshlrev_b32", "V1a1a1", two<left_reversed, left_reversed_words>},
    {"v_lshrrev_b32", "V1a1a1", two<right_reversed, right_reversed_words>},
    {"v_lshl_or_b32", "V1a1a1a1", three<shift_then_or, shift_then_or_words>},
    {"v_and_or_b32", "V1a1a1a1", three<and_then_or, and_then_or_words>},
    {"v_or3_b32", "V1a1a1a1", three<or3, or3_words>},
    {"v_bfe_u32", "V1a1a1a1", three<extract_number, extract>},
    {"v_bfi_b32", "V1a1a1a1", three<insert_number, insert>},
    {"v_alignbit_b32", "V1a1a1a1", three<align_bits_number, align_bits>},
    {"v_alignbyte_b32", "V1a1a1a1", three<align_bytes_number, align_bytes>},
    {"v_perm_b32", "V1a1a1a1", permute_lanes},
    {"v_bitop3_b32", "V1a1a1a1", table_of_bits},
    {"v_mov_b64", "V2a2", move64},
    {"v_pk_mov_b32", "V2a2a2", move64},
    {"v_lshlrev_b64", "V2a1a2", shift64, parameter(Shift::left)},
    {"v_lshrrev_b64", "V2a1a2", shift64, parameter(Shift::right)},
    {"v_ashrrev_i64", "V2a1a2", shift64, parameter(Shift::right_signed)},
    {"v_cndmask_b32", "V1a1a1s2", select},
    {"v_readfirstlane_b32", "S1a1", read_first_lane},
    {"v_mbcnt_lo_u32_b32", "V1a1a1", count_below, 0},
    {"v_mbcnt_hi_u32_b32", "V1a1a1", count_below, 32},
};

}  // namespace

std::span<const Opcode> vector_moves() {
  return kTable;
}

}  // namespace pageproof::machine
