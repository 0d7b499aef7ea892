// Every opcode by examples worked out by hand from the ISA guide: registers before, instruction, registers
// after. That every opcode of the tables has one is a test, too.
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "tests/oracle/machine/state.hpp"

namespace pageproof::machine::tests {
namespace {

using Values = std::vector<std::pair<const char*, std::uint64_t>>;

struct Example {
  const char* text;
  Values before;
  Values after;
  std::uint32_t encoding = 0;
};

void check(std::span<const Example> examples) {
  for (const Example& example : examples) {
    SCOPED_TRACE(example.text);
    State state;
    for (const auto& [name, value] : example.before) state.set(name, value);
    try {
      state.run(example.text, example.encoding);
      for (const auto& [name, value] : example.after) {
        EXPECT_EQ(state.get(name, 0), value) << name;
        EXPECT_EQ(state.get(name, 63), value) << name << " in lane 63";
      }
    } catch (const Refutation& refutation) {
      ADD_FAILURE() << to_string(refutation.check) << ": " << refutation.what;
    }
  }
}

const Example kScalarAlu[] = {
    {"s_mov_b32 s0, 17", {}, {{"s0", 17}}},
    {"s_mov_b64 s[0:1], -1", {}, {{"s[0:1]", 0xffff'ffff'ffff'ffff}}},
    {"s_not_b32 s0, s1", {{"s1", 0xff00ff00}}, {{"s0", 0x00ff00ff}, {"scc", 1}}},
    {"s_not_b64 s[0:1], s[2:3]", {{"s[2:3]", 0xffff'ffff'ffff'ffff}}, {{"s[0:1]", 0}, {"scc", 0}}},
    {"s_sext_i32_i8 s0, s1", {{"s1", 0x1280}}, {{"s0", 0xffffff80}}},
    {"s_sext_i32_i16 s0, s1", {{"s1", 0x12348001}}, {{"s0", 0xffff8001}}},
    {"s_bcnt1_i32_b32 s0, s1", {{"s1", 0x80000101}}, {{"s0", 3}, {"scc", 1}}},
    {"s_add_u32 s0, s1, s2", {{"s1", 0xffffffff}, {"s2", 2}}, {{"s0", 1}, {"scc", 1}}},
    {"s_add_u32 s0, s1, s2", {{"s1", 5}, {"s2", 2}, {"scc", 1}}, {{"s0", 7}, {"scc", 0}}},
    {"s_sub_u32 s0, s1, s2", {{"s1", 1}, {"s2", 2}}, {{"s0", 0xffffffff}, {"scc", 1}}},
    {"s_add_i32 s0, s1, s2", {{"s1", 0x7fffffff}, {"s2", 1}}, {{"s0", 0x80000000}, {"scc", 1}}},
    {"s_add_i32 s0, s1, s2", {{"s1", 0xffffffff}, {"s2", 1}}, {{"s0", 0}, {"scc", 0}}},
    {"s_sub_i32 s0, s1, s2", {{"s1", 0x80000000}, {"s2", 1}}, {{"s0", 0x7fffffff}, {"scc", 1}}},
    {"s_addc_u32 s0, s1, s2", {{"s1", 0xffffffff}, {"s2", 0}, {"scc", 1}}, {{"s0", 0}, {"scc", 1}}},
    {"s_subb_u32 s0, s1, s2", {{"s1", 5}, {"s2", 5}, {"scc", 1}}, {{"s0", 0xffffffff}, {"scc", 1}}},
    {"s_lshl1_add_u32 s0, s1, s2", {{"s1", 5}, {"s2", 3}}, {{"s0", 13}, {"scc", 0}}},
    {"s_lshl2_add_u32 s0, s1, s2", {{"s1", 5}, {"s2", 3}}, {{"s0", 23}}},
    {"s_lshl3_add_u32 s0, s1, s2", {{"s1", 0x20000000}, {"s2", 3}}, {{"s0", 3}, {"scc", 1}}},
    {"s_lshl4_add_u32 s0, s1, s2", {{"s1", 5}, {"s2", 3}}, {{"s0", 83}}},
    {"s_mul_i32 s0, s1, s2", {{"s1", 0x10001}, {"s2", 0x10001}}, {{"s0", 0x20001}}},
    {"s_mul_hi_u32 s0, s1, s2", {{"s1", 0x80000000}, {"s2", 6}}, {{"s0", 3}}},
    {"s_mul_hi_i32 s0, s1, s2", {{"s1", 0xffffffff}, {"s2", 5}}, {{"s0", 0xffffffff}}},
    {"s_min_u32 s0, s1, s2", {{"s1", 0xffffffff}, {"s2", 3}}, {{"s0", 3}, {"scc", 0}}},
    {"s_max_u32 s0, s1, s2", {{"s1", 0xffffffff}, {"s2", 3}}, {{"s0", 0xffffffff}, {"scc", 1}}},
    {"s_min_i32 s0, s1, s2", {{"s1", 0xffffffff}, {"s2", 3}}, {{"s0", 0xffffffff}, {"scc", 1}}},
    {"s_max_i32 s0, s1, s2", {{"s1", 0xffffffff}, {"s2", 3}}, {{"s0", 3}, {"scc", 0}}},
    {"s_and_b32 s0, s1, s2", {{"s1", 0xf0f0}, {"s2", 0xff00}}, {{"s0", 0xf000}, {"scc", 1}}},
    {"s_or_b32 s0, s1, s2", {{"s1", 0xf0f0}, {"s2", 0xff00}}, {{"s0", 0xfff0}, {"scc", 1}}},
    {"s_xor_b32 s0, s1, s2", {{"s1", 0xf0f0}, {"s2", 0xf0f0}}, {{"s0", 0}, {"scc", 0}}},
    {"s_andn2_b32 s0, s1, s2", {{"s1", 0xf0f0}, {"s2", 0xff00}}, {{"s0", 0x00f0}}},
    {"s_orn2_b32 s0, s1, s2", {{"s1", 1}, {"s2", 0xfffffff0}}, {{"s0", 0xf}}},
    {"s_nand_b32 s0, s1, s2", {{"s1", 0xf}, {"s2", 3}}, {{"s0", 0xfffffffc}}},
    {"s_nor_b32 s0, s1, s2", {{"s1", 0xf}, {"s2", 0x30}}, {{"s0", 0xffffffc0}}},
    {"s_xnor_b32 s0, s1, s2", {{"s1", 0xf}, {"s2", 0x3}}, {{"s0", 0xfffffff3}}},
    {"s_and_b64 s[0:1], s[2:3], s[4:5]",
     {{"s[2:3]", 0xf'0000'000f}, {"s[4:5]", 0x3'0000'0000}},
     {{"s[0:1]", 0x3'0000'0000}, {"scc", 1}}},
    {"s_or_b64 s[0:1], s[2:3], s[4:5]",
     {{"s[2:3]", 0xf}, {"s[4:5]", 0x3'0000'0000}},
     {{"s[0:1]", 0x3'0000'000f}}},
    {"s_xor_b64 s[0:1], s[2:3], s[4:5]",
     {{"s[2:3]", 0xf'0000'0001}, {"s[4:5]", 0x3'0000'0001}},
     {{"s[0:1]", 0xc'0000'0000}}},
    {"s_andn2_b64 s[0:1], s[2:3], s[4:5]",
     {{"s[2:3]", 0xf'0000'0001}, {"s[4:5]", 0xf'0000'0001}},
     {{"s[0:1]", 0}, {"scc", 0}}},
    {"s_orn2_b64 s[0:1], s[2:3], s[4:5]",
     {{"s[2:3]", 1}, {"s[4:5]", 0xffff'ffff'ffff'fff0}},
     {{"s[0:1]", 0xf}}},
    {"s_nand_b64 s[0:1], s[2:3], s[4:5]",
     {{"s[2:3]", 1}, {"s[4:5]", 1}},
     {{"s[0:1]", 0xffff'ffff'ffff'fffe}}},
    {"s_nor_b64 s[0:1], s[2:3], s[4:5]", {{"s[2:3]", 1}, {"s[4:5]", 2}}, {{"s[0:1]", 0xffff'ffff'ffff'fffc}}},
    {"s_xnor_b64 s[0:1], s[2:3], s[4:5]",
     {{"s[2:3]", 1}, {"s[4:5]", 0}},
     {{"s[0:1]", 0xffff'ffff'ffff'fffe}}},
    {"s_lshl_b32 s0, s1, s2", {{"s1", 3}, {"s2", 33}}, {{"s0", 6}, {"scc", 1}}},
    {"s_lshr_b32 s0, s1, s2", {{"s1", 0x80000000}, {"s2", 31}}, {{"s0", 1}, {"scc", 1}}},
    {"s_ashr_i32 s0, s1, s2", {{"s1", 0x80000000}, {"s2", 4}}, {{"s0", 0xf8000000}}},
    {"s_bfe_u32 s0, s1, s2", {{"s1", 0x12345678}, {"s2", 0x000c0004}}, {{"s0", 0x567}, {"scc", 1}}},
    {"s_lshl_b64 s[0:1], s[2:3], s4", {{"s[2:3]", 0x8000'0001}, {"s4", 4}}, {{"s[0:1]", 0x8'0000'0010}}},
    {"s_lshr_b64 s[0:1], s[2:3], s4", {{"s[2:3]", 0x8'0000'0010}, {"s4", 4}}, {{"s[0:1]", 0x8000'0001}}},
    {"s_ashr_i64 s[0:1], s[2:3], s4",
     {{"s[2:3]", 0x8000'0000'0000'0000}, {"s4", 60}},
     {{"s[0:1]", 0xffff'ffff'ffff'fff8}}},
    {"s_bfe_u64 s[0:1], s[2:3], s4",
     {{"s[2:3]", 0x1234'5678'9abc'def0}, {"s4", 0x00280008}},
     {{"s[0:1]", 0x56'789a'bcde}}},
    {"s_bfm_b32 s0, s1, s2", {{"s1", 4}, {"s2", 40}}, {{"s0", 0xf00}}},
    {"s_pack_ll_b32_b16 s0, s1, s2", {{"s1", 0x11112222}, {"s2", 0x33334444}}, {{"s0", 0x44442222}}},
    {"s_pack_lh_b32_b16 s0, s1, s2", {{"s1", 0x11112222}, {"s2", 0x33334444}}, {{"s0", 0x33332222}}},
    {"s_pack_hh_b32_b16 s0, s1, s2", {{"s1", 0x11112222}, {"s2", 0x33334444}}, {{"s0", 0x33331111}}},
    {"s_cselect_b32 s0, s1, s2", {{"s1", 1}, {"s2", 2}, {"scc", 1}}, {{"s0", 1}}},
    {"s_cselect_b64 s[0:1], -1, 0", {{"scc", 0}}, {{"s[0:1]", 0}}},
    {"s_movk_i32 s0, 0xfff0", {}, {{"s0", 0xfffffff0}}, 0xb000fff0},
    {"s_addk_i32 s0, 0x7fff", {{"s0", 0x7fffffff}}, {{"s0", 0x80007ffe}, {"scc", 1}}, 0xb7007fff},
    {"s_mulk_i32 s0, 0xffff", {{"s0", 7}}, {{"s0", 0xfffffff9}}, 0xb780ffff},
    {"s_and_saveexec_b64 s[0:1], s[2:3]",
     {{"s[2:3]", 0x8000'0000'0000'0001}},
     {{"s[0:1]", 0xffff'ffff'ffff'ffff}, {"exec", 0x8000'0000'0000'0001}, {"scc", 1}}},
    {"s_or_saveexec_b64 s[0:1], s[2:3]", {{"s[2:3]", 6}, {"exec", 1}}, {{"s[0:1]", 1}, {"exec", 7}}},
    {"s_xor_saveexec_b64 s[0:1], s[2:3]", {{"s[2:3]", 3}, {"exec", 1}}, {{"s[0:1]", 1}, {"exec", 2}}},
    {"s_andn2_saveexec_b64 s[0:1], s[2:3]", {{"s[2:3]", 3}, {"exec", 1}}, {{"s[0:1]", 1}, {"exec", 2}}},
    {"s_orn2_saveexec_b64 s[0:1], s[2:3]", {{"s[2:3]", 1}, {"exec", 0xffff'ffff'ffff'fff0}}, {{"exec", 0xf}}},
};

const Example kVectorInteger[] = {
    {"v_add_u32 v0, v1, v2", {{"v1", 0xffffffff}, {"v2", 3}}, {{"v0", 2}}},
    {"v_sub_u32 v0, v1, v2", {{"v1", 3}, {"v2", 5}}, {{"v0", 0xfffffffe}}},
    {"v_subrev_u32 v0, v1, v2", {{"v1", 3}, {"v2", 5}}, {{"v0", 2}}},
    {"v_mul_lo_u32 v0, v1, v2", {{"v1", 0x10001}, {"v2", 0x10001}}, {{"v0", 0x20001}}},
    {"v_mul_hi_u32 v0, v1, v2", {{"v1", 0x80000000}, {"v2", 6}}, {{"v0", 3}}},
    {"v_mul_hi_i32 v0, v1, v2", {{"v1", 0x80000000}, {"v2", 2}}, {{"v0", 0xffffffff}}},
    {"v_mul_u32_u24 v0, v1, v2", {{"v1", 0xff000003}, {"v2", 0x01000005}}, {{"v0", 15}}},
    {"v_mul_hi_u32_u24 v0, v1, v2", {{"v1", 0x01800000}, {"v2", 0x00000400}}, {{"v0", 2}}},
    {"v_min_u32 v0, v1, v2", {{"v1", 0x80000000}, {"v2", 3}}, {{"v0", 3}}},
    {"v_max_u32 v0, v1, v2", {{"v1", 0x80000000}, {"v2", 3}}, {{"v0", 0x80000000}}},
    {"v_min_i32 v0, v1, v2", {{"v1", 0x80000000}, {"v2", 3}}, {{"v0", 0x80000000}}},
    {"v_max_i32 v0, v1, v2", {{"v1", 0x80000000}, {"v2", 3}}, {{"v0", 3}}},
    {"v_ashrrev_i32 v0, v1, v2", {{"v1", 4}, {"v2", 0x80000000}}, {{"v0", 0xf8000000}}},
    {"v_bfrev_b32 v0, v1", {{"v1", 0x00000013}}, {{"v0", 0xc8000000}}},
    {"v_ffbh_u32 v0, v1", {{"v1", 0x00010000}}, {{"v0", 15}}},
    {"v_ffbh_u32 v0, v1", {{"v1", 0}}, {{"v0", 0xffffffff}}},
    {"v_add3_u32 v0, v1, v2, s3", {{"v1", 1}, {"v2", 20}, {"s3", 300}}, {{"v0", 321}}},
    {"v_lshl_add_u32 v0, v1, v2, 7", {{"v1", 5}, {"v2", 34}}, {{"v0", 27}}},
    {"v_add_lshl_u32 v0, v1, v2, 3", {{"v1", 5}, {"v2", 2}}, {{"v0", 56}}},
    {"v_xad_u32 v0, v1, v2, v3", {{"v1", 6}, {"v2", 3}, {"v3", 100}}, {{"v0", 105}}},
    {"v_mad_u32_u24 v0, v1, v2, v3",
     {{"v1", 0x01000003}, {"v2", 5}, {"v3", 0x80000000}},
     {{"v0", 0x8000000f}}},
    {"v_bfe_i32 v0, v1, 4, 8", {{"v1", 0x00000ff0}}, {{"v0", 0xffffffff}}},
    {"v_bfe_i32 v0, v1, 4, 8", {{"v1", 0x000007f0}}, {{"v0", 0x7f}}},
    {"v_min3_u32 v0, v1, v2, v3", {{"v1", 9}, {"v2", 4}, {"v3", 6}}, {{"v0", 4}}},
    {"v_max3_u32 v0, v1, v2, v3", {{"v1", 9}, {"v2", 4}, {"v3", 16}}, {{"v0", 16}}},
    {"v_lshl_add_u64 v[0:1], v[2:3], 4, v[4:5]",
     {{"v[2:3]", 0x1'1000'0000}, {"v[4:5]", 0xffff'ffff}},
     {{"v[0:1]", 0x11'ffff'ffff}}},
    {"v_mad_u64_u32 v[0:1], s[2:3], v2, v3, v[4:5]",
     {{"v2", 0xffffffff}, {"v3", 0xffffffff}, {"v[4:5]", 0x1'ffff'ffff}},
     {{"v[0:1]", 0}, {"s[2:3]", 0xffff'ffff'ffff'ffff}}},
    {"v_add_co_u32 v0, vcc, v1, v2",
     {{"v1", 0xffffffff}, {"v2", 1}},
     {{"v0", 0}, {"vcc", 0xffff'ffff'ffff'ffff}}},
    {"v_sub_co_u32 v0, vcc, v1, v2",
     {{"v1", 1}, {"v2", 2}},
     {{"v0", 0xffffffff}, {"vcc", 0xffff'ffff'ffff'ffff}}},
    {"v_subrev_co_u32 v0, vcc, v1, v2", {{"v1", 1}, {"v2", 2}}, {{"v0", 1}, {"vcc", 0}}},
    {"v_addc_co_u32 v0, vcc, v1, v2, vcc",
     {{"v1", 1}, {"v2", 2}, {"vcc", 0xffff'ffff'ffff'ffff}},
     {{"v0", 4}, {"vcc", 0}}},
    {"v_subb_co_u32 v0, vcc, v1, v2, vcc",
     {{"v1", 5}, {"v2", 2}, {"vcc", 0xffff'ffff'ffff'ffff}},
     {{"v0", 2}, {"vcc", 0}}},
    {"v_subbrev_co_u32 v0, s[2:3], v1, v2, vcc",
     {{"v1", 5}, {"v2", 5}, {"vcc", 0xffff'ffff'ffff'ffff}},
     {{"v0", 0xffffffff}, {"s[2:3]", 0xffff'ffff'ffff'ffff}}},
};

const Example kVectorMoves[] = {
    {"v_mov_b32 v0, s1", {{"s1", 5}}, {{"v0", 5}}},
    {"v_accvgpr_write_b32 a1, v1", {{"v1", 5}}, {{"a1", 5}}},
    {"v_accvgpr_read_b32 v0, a1", {{"a1", 6}}, {{"v0", 6}}},
    {"v_not_b32 v0, v1", {{"v1", 0xf}}, {{"v0", 0xfffffff0}}},
    {"v_and_b32 v0, v1, v2", {{"v1", 0xf0f0}, {"v2", 0xff00}}, {{"v0", 0xf000}}},
    {"v_or_b32 v0, v1, v2", {{"v1", 0xf0f0}, {"v2", 0xff00}}, {{"v0", 0xfff0}}},
    {"v_xor_b32 v0, v1, v2", {{"v1", 0xf0f0}, {"v2", 0xff00}}, {{"v0", 0x0ff0}}},
    {"v_lshlrev_b32 v0, 35, v1", {{"v1", 0x20000001}}, {{"v0", 8}}},
    {"v_lshrrev_b32 v0, 4, v1", {{"v1", 0x80000010}}, {{"v0", 0x08000001}}},
    {"v_lshl_or_b32 v0, v1, 8, v2", {{"v1", 0x12}, {"v2", 0x34}}, {{"v0", 0x1234}}},
    {"v_and_or_b32 v0, v1, v2, v3", {{"v1", 0x1234}, {"v2", 0xff00}, {"v3", 0x56}}, {{"v0", 0x1256}}},
    {"v_or3_b32 v0, v1, v2, v3", {{"v1", 1}, {"v2", 2}, {"v3", 8}}, {{"v0", 11}}},
    {"v_bfe_u32 v0, v1, 4, 8", {{"v1", 0x12345678}}, {{"v0", 0x67}}},
    {"v_bfi_b32 v0, v1, v2, v3",
     {{"v1", 0x0000ffff}, {"v2", 0x11112222}, {"v3", 0x33334444}},
     {{"v0", 0x33332222}}},
    {"v_alignbit_b32 v0, v1, v2, 4", {{"v1", 0x0000000a}, {"v2", 0xbbbbbbbc}}, {{"v0", 0xabbbbbbb}}},
    {"v_alignbyte_b32 v0, v1, v2, 1", {{"v1", 0x44332211}, {"v2", 0x88776655}}, {{"v0", 0x11887766}}},
    {"v_perm_b32 v0, v1, v2, s3",
     {{"v1", 0x77665544}, {"v2", 0x33221100}, {"s3", 0x07040301}},
     {{"v0", 0x77443311}}},
    {"v_perm_b32 v0, v1, v2, s3",
     {{"v1", 0x80665544}, {"v2", 0x33228000}, {"s3", 0x0d0c0b08}},
     {{"v0", 0xff00ffff}}},
    {"v_bitop3_b32 v0, v1, v2, v3 bitop3:0x6c",
     {{"v1", 0xff}, {"v2", 0x5555}, {"v3", 0x0f}},
     {{"v0", 0x555a}}},  // b ^ (a & c)
    {"v_mov_b64 v[0:1], v[2:3]", {{"v[2:3]", 0x1234'5678'9abc'def0}}, {{"v[0:1]", 0x1234'5678'9abc'def0}}},
    {"v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]",
     {{"v[2:3]", 0x2'0000'0001}, {"v[4:5]", 0x4'0000'0003}},
     {{"v[0:1]", 0x3'0000'0002}}},
    {"v_lshlrev_b64 v[0:1], 4, v[2:3]", {{"v[2:3]", 0x8000'0001}}, {{"v[0:1]", 0x8'0000'0010}}},
    {"v_lshrrev_b64 v[0:1], 4, v[2:3]", {{"v[2:3]", 0x8'0000'0010}}, {{"v[0:1]", 0x8000'0001}}},
    {"v_ashrrev_i64 v[0:1], 60, v[2:3]",
     {{"v[2:3]", 0x8000'0000'0000'0000}},
     {{"v[0:1]", 0xffff'ffff'ffff'fff8}}},
    {"v_cndmask_b32 v0, v1, v2, vcc", {{"v1", 1}, {"v2", 2}, {"vcc", 0xffff'ffff'ffff'ffff}}, {{"v0", 2}}},
    {"v_cndmask_b32 v0, v1, v2, s[4:5]", {{"v1", 1}, {"v2", 2}, {"s[4:5]", 0}}, {{"v0", 1}}},
    {"v_readfirstlane_b32 s0, v1", {{"v1", 77}}, {{"s0", 77}}},
};

const Example kCompares[] = {
#define PAGEPROOF_COMPARE(NAME, A, B, RESULT)                                                                           \
  {                                                                                                                     \
    "v_cmp_" NAME " vcc, v[2:3], v[4:5]", {{"v[2:3]", A}, {"v[4:5]", B}}, {{"vcc", RESULT ? 0xffff'ffff'ffff'ffff : 0}} \
  }
#define PAGEPROOF_COMPARE32(NAME, A, B, RESULT)                                                         \
  {                                                                                                     \
    "v_cmp_" NAME " vcc, v2, v4", {{"v2", A}, {"v4", B}}, {{"vcc", RESULT ? 0xffff'ffff'ffff'ffff : 0}} \
  }
#define PAGEPROOF_SCALAR(NAME, A, B, RESULT)           \
  {                                                    \
    "s_cmp_" NAME " s2, s4", {{"s2", A}, {"s4", B}}, { \
      {                                                \
        "scc", RESULT                                  \
      }                                                \
    }                                                  \
  }
    PAGEPROOF_COMPARE32("eq_u32", 5, 5, true),
    PAGEPROOF_COMPARE32("ne_u32", 5, 5, false),
    PAGEPROOF_COMPARE32("lt_u32", 0xffffffff, 1, false),
    PAGEPROOF_COMPARE32("le_u32", 5, 5, true),
    PAGEPROOF_COMPARE32("gt_u32", 0xffffffff, 1, true),
    PAGEPROOF_COMPARE32("ge_u32", 4, 5, false),
    PAGEPROOF_COMPARE32("lt_u32", 5, 5, false),
    PAGEPROOF_COMPARE32("gt_u32", 5, 5, false),
    PAGEPROOF_COMPARE32("ge_u32", 5, 5, true),
    PAGEPROOF_COMPARE32("eq_i32", 5, 6, false),
    PAGEPROOF_COMPARE32("ne_i32", 5, 6, true),
    PAGEPROOF_COMPARE32("lt_i32", 0xffffffff, 1, true),
    PAGEPROOF_COMPARE32("le_i32", 0xffffffff, 1, true),
    PAGEPROOF_COMPARE32("gt_i32", 0xffffffff, 1, false),
    PAGEPROOF_COMPARE32("ge_i32", 0xffffffff, 1, false),
    PAGEPROOF_COMPARE("eq_u64", 0x1'0000'0000, 0, false),
    PAGEPROOF_COMPARE("ne_u64", 0x1'0000'0000, 0, true),
    PAGEPROOF_COMPARE("lt_u64", 0x1'0000'0000, 5, false),
    PAGEPROOF_COMPARE("le_u64", 0x1'0000'0000, 5, false),
    PAGEPROOF_COMPARE("gt_u64", 0x1'0000'0000, 5, true),
    PAGEPROOF_COMPARE("ge_u64", 5, 5, true),
    PAGEPROOF_COMPARE("lt_u64", 5, 5, false),
    PAGEPROOF_COMPARE("le_u64", 5, 5, true),
    PAGEPROOF_COMPARE("eq_i64", 5, 5, true),
    PAGEPROOF_COMPARE("ne_i64", 5, 5, false),
    PAGEPROOF_COMPARE("lt_i64", 0xffff'ffff'0000'0000, 0, true),
    PAGEPROOF_COMPARE("le_i64", 0xffff'ffff'0000'0000, 0, true),
    PAGEPROOF_COMPARE("gt_i64", 0xffff'ffff'0000'0000, 0, false),
    PAGEPROOF_COMPARE("ge_i64", 0xffff'ffff'0000'0000, 0, false),
    PAGEPROOF_SCALAR("eq_u32", 5, 5, 1),
    PAGEPROOF_SCALAR("lg_u32", 5, 5, 0),
    PAGEPROOF_SCALAR("lt_u32", 0xffffffff, 1, 0),
    PAGEPROOF_SCALAR("le_u32", 5, 5, 1),
    PAGEPROOF_SCALAR("gt_u32", 0xffffffff, 1, 1),
    PAGEPROOF_SCALAR("ge_u32", 4, 5, 0),
    PAGEPROOF_SCALAR("eq_i32", 5, 6, 0),
    PAGEPROOF_SCALAR("lg_i32", 5, 6, 1),
    PAGEPROOF_SCALAR("lt_i32", 0xffffffff, 1, 1),
    PAGEPROOF_SCALAR("le_i32", 0xffffffff, 1, 1),
    PAGEPROOF_SCALAR("gt_i32", 0xffffffff, 1, 0),
    PAGEPROOF_SCALAR("ge_i32", 0xffffffff, 1, 0),
    {"s_cmp_eq_u64 s[2:3], s[4:5]", {{"s[2:3]", 0x1'0000'0000}, {"s[4:5]", 0}}, {{"scc", 0}}},
    {"s_cmp_lg_u64 s[2:3], s[4:5]", {{"s[2:3]", 0x1'0000'0000}, {"s[4:5]", 0}}, {{"scc", 1}}},
    // The constant is 0xfffe: 65534 for an unsigned comparison, -2 for a signed one.
    {"s_cmpk_eq_u32 s2, 0xfffe", {{"s2", 65534}}, {{"scc", 1}}, 0xfffe},
    {"s_cmpk_lg_u32 s2, 0xfffe", {{"s2", 65534}}, {{"scc", 0}}, 0xfffe},
    {"s_cmpk_lt_u32 s2, 0xfffe", {{"s2", 5}}, {{"scc", 1}}, 0xfffe},
    {"s_cmpk_le_u32 s2, 0xfffe", {{"s2", 65535}}, {{"scc", 0}}, 0xfffe},
    {"s_cmpk_gt_u32 s2, 0xfffe", {{"s2", 5}}, {{"scc", 0}}, 0xfffe},
    {"s_cmpk_ge_u32 s2, 0xfffe", {{"s2", 65534}}, {{"scc", 1}}, 0xfffe},
    {"s_cmpk_eq_i32 s2, 0xfffe", {{"s2", 0xfffffffe}}, {{"scc", 1}}, 0xfffe},
    {"s_cmpk_lg_i32 s2, 0xfffe", {{"s2", 65534}}, {{"scc", 1}}, 0xfffe},
    {"s_cmpk_lt_i32 s2, 0xfffe", {{"s2", 5}}, {{"scc", 0}}, 0xfffe},
    {"s_cmpk_le_i32 s2, 0xfffe", {{"s2", 0xfffffffd}}, {{"scc", 1}}, 0xfffe},
    {"s_cmpk_gt_i32 s2, 0xfffe", {{"s2", 5}}, {{"scc", 1}}, 0xfffe},
    {"s_cmpk_ge_i32 s2, 0xfffe", {{"s2", 0xfffffffd}}, {{"scc", 0}}, 0xfffe},
};

// pc stands behind the instruction; a distance counts words of 4 bytes.
const Example kControlFlow[] = {
    {"s_branch 3", {{"pc", 100}}, {{"pc", 112}}, 0xbf820003},
    {"s_branch 65534", {{"pc", 100}}, {{"pc", 92}}, 0xbf82fffe},
    {"s_cbranch_scc0 3", {{"pc", 100}, {"scc", 0}}, {{"pc", 112}}, 0xbf840003},
    {"s_cbranch_scc0 3", {{"pc", 100}, {"scc", 1}}, {{"pc", 100}}, 0xbf840003},
    {"s_cbranch_scc1 3", {{"pc", 100}, {"scc", 1}}, {{"pc", 112}}, 0xbf850003},
    {"s_cbranch_vccz 3", {{"pc", 100}, {"vcc", 0}}, {{"pc", 112}}, 0xbf860003},
    {"s_cbranch_vccz 3", {{"pc", 100}, {"vcc", 0x1'0000'0000}}, {{"pc", 100}}, 0xbf860003},
    {"s_cbranch_vccnz 3", {{"pc", 100}, {"vcc", 0x1'0000'0000}}, {{"pc", 112}}, 0xbf870003},
    {"s_nop 3", {{"pc", 100}}, {{"pc", 100}}},
    {"s_setprio 1", {{"pc", 100}}, {{"pc", 100}}},
    {"s_sleep 1", {{"pc", 100}}, {{"pc", 100}}},
    {"buffer_inv sc1", {{"pc", 100}}, {{"pc", 100}}},
    {"buffer_wbl2 sc1", {{"pc", 100}}, {{"pc", 100}}},
    {"buffer_wbinvl1", {{"pc", 100}}, {{"pc", 100}}},
};

TEST(MachineOpcodes, scalar_alu) {
  check(kScalarAlu);
}
TEST(MachineOpcodes, vector_integer) {
  check(kVectorInteger);
}
TEST(MachineOpcodes, vector_moves) {
  check(kVectorMoves);
}
TEST(MachineOpcodes, compares) {
  check(kCompares);
}
TEST(MachineOpcodes, control_flow) {
  check(kControlFlow);
}

// Those whose result differs by lane, or that have effects beside registers, are in the tests of memory and
// waves.
constexpr std::string_view kElsewhere[] = {"v_mbcnt_lo_u32_b32", "v_mbcnt_hi_u32_b32", "s_cbranch_execz",
                                           "s_cbranch_execnz",   "s_waitcnt",          "s_barrier",
                                           "s_endpgm",           "s_load_dword",       "s_load_dwordx2",
                                           "s_load_dwordx4",     "s_load_dwordx8",     "s_load_dwordx16"};

TEST(MachineOpcodes, every_opcode_has_an_example) {
  std::set<std::string_view> examples(std::begin(kElsewhere), std::end(kElsewhere));
  for (const std::span<const Example> family :
       {std::span<const Example>(kScalarAlu), std::span<const Example>(kVectorInteger),
        std::span<const Example>(kVectorMoves), std::span<const Example>(kCompares),
        std::span<const Example>(kControlFlow)}) {
    for (const Example& example : family) {
      const std::string_view text = example.text;
      examples.insert(text.substr(0, text.find(' ')));
    }
  }
  std::size_t opcodes = 0;
  for (const std::span<const Opcode> family : all_opcodes()) {
    for (const Opcode& opcode : family) {
      ++opcodes;
      EXPECT_TRUE(opcode.access_bytes != 0 || examples.contains(opcode.name)) << opcode.name;
    }
  }
  EXPECT_GT(opcodes, 200u);
}

TEST(MachineOpcodes, unknown_instructions_and_operands_are_refused_by_name) {
  for (const auto& [text, reason] : std::vector<std::pair<const char*, const char*>>{
           {"v_dot4_i32_i8 v0, v1, v2, v3", "v_dot4_i32_i8 is not modelled"},
           {"flat_load_dword v0, v[2:3]", "flat_load_dword is not modelled"},
           {"v_add_u32 v0, v1, v2 clamp", "clamp is not modelled"},
           {"v_add_u32 v0, |v1|, v2", "operand |v1| is not modelled"},
           {"v_add_u32 v0, v1", "the operands are not modelled"},
           {"s_mov_b64 s[0:1], 1.0", "operand 1.0 is not modelled"},
           {"v_lshlrev_b64 v[0:1], 0, 0.5", "operand 0.5 is not modelled"},
           {"v_cmp_eq_u64 vcc, 2.0, v[0:1]", "operand 2.0 is not modelled"},
           {"v_mov_b64 v[1:2], v[4:5]", "v[1:2] is no aligned tuple of registers"},
           {"s_load_dwordx4 s[2:5], s[0:1], 0x0", "s[2:5] is no aligned tuple of registers"},
           {"v_mov_b32_sdwa v0, v1 dst_sel:BYTE_0", "v_mov_b32_sdwa is not modelled"}}) {
    const Instruction instruction = decode_text(text);
    EXPECT_EQ(instruction.opcode, nullptr) << text;
    EXPECT_EQ(instruction.refusal, reason);
  }
}

}  // namespace
}  // namespace pageproof::machine::tests
