// Data as symbols, lanes, memory, waits and races: what single waves may do with them, and what is refused.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "oracle/machine/byte_maps.hpp"
#include "tests/oracle/machine/state.hpp"

namespace pageproof::machine::tests {
namespace {

// The check that refuses, or "none".
std::string refused(const std::function<void()>& run) {
  try {
    run();
  } catch (const Refutation& refutation) {
    return to_string(refutation.check);
  }
  return "none";
}

// Lane l of v0 holds input bytes 4l ... 4l + 3 and v1 the 256 after them.
void hold_data(State& state) {
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t r = 0; r < 2; ++r) {
      Word word;
      for (std::uint32_t b = 0; b < 4; ++b) word[b] = input_byte(256 * r + 4 * lane + b);
      state.wave.vectors[r].set(lane, word);
    }
  }
}

// "v0[0] v0[1] v1[0] 00": the bytes of lane 5 of v2, as bytes of v0 and v1 in that lane.
std::string lane5(const State& state) {
  std::string text;
  for (const Byte b : state.wave.vectors[2].at(5)) {
    if (!text.empty()) text += " ";
    if (is_known(b)) {
      text += fmt::format("{:02x}", b);
    } else if (is_input(b)) {
      EXPECT_EQ(input_index(b) % 256 / 4, 5u);
      text += fmt::format("v{}[{}]", input_index(b) / 256, input_index(b) % 4);
    } else {
      text += "undefined";
    }
  }
  return text;
}

TEST(MachineData, bytes_that_move_keep_what_they_are) {
  for (const auto& [text, bytes] : std::vector<std::pair<const char*, const char*>>{
           {"v_mov_b32 v2, v1", "v1[0] v1[1] v1[2] v1[3]"},
           {"v_and_b32 v2, 0xff00ff, v0", "v0[0] 00 v0[2] 00"},
           {"v_or_b32 v2, 0xff000000, v0", "v0[0] v0[1] v0[2] ff"},
           {"v_xor_b32 v2, 0, v0", "v0[0] v0[1] v0[2] v0[3]"},
           {"v_lshlrev_b32 v2, 8, v0", "00 v0[0] v0[1] v0[2]"},
           {"v_lshrrev_b32 v2, 16, v0", "v0[2] v0[3] 00 00"},
           {"v_bfe_u32 v2, v0, 8, 8", "v0[1] 00 00 00"},
           {"v_alignbit_b32 v2, v1, v0, 24", "v0[3] v1[0] v1[1] v1[2]"},
           {"v_alignbyte_b32 v2, v1, v0, 1", "v0[1] v0[2] v0[3] v1[0]"},
           {"v_perm_b32 v2, v1, v0, s0", "v0[1] v1[1] 00 ff"},
           {"v_bfi_b32 v2, 0xffff, v0, v1", "v0[0] v0[1] v1[2] v1[3]"},
           {"v_cndmask_b32 v2, v0, v1, vcc", "v1[0] v1[1] v1[2] v1[3]"}}) {
    State state;
    hold_data(state);
    state.set("s0", 0x0d0c0501);
    state.set("vcc", std::uint64_t{1} << 5);
    state.run(text);
    EXPECT_EQ(lane5(state), bytes) << text;
  }
  State state;
  hold_data(state);
  state.run("v_and_b32 v3, 0xffff, v0");
  state.run("v_lshl_or_b32 v2, v1, 16, v3");
  EXPECT_EQ(lane5(state), "v0[0] v0[1] v1[0] v1[1]");
  state.run("v_and_or_b32 v2, v1, 0xff, 0");
  EXPECT_EQ(lane5(state), "v1[0] 00 00 00");
  state.run("v_or3_b32 v2, v1, 0, 0");
  EXPECT_EQ(lane5(state), "v1[0] v1[1] v1[2] v1[3]");
}

TEST(MachineData, arithmetic_on_data_is_refused) {
  for (const char* text :
       {"v_add_u32 v2, v0, 1", "v_and_b32 v2, 0x7f, v0", "v_or_b32 v2, 1, v0", "v_xor_b32 v2, v0, v1",
        "v_lshlrev_b32 v2, 4, v0", "v_alignbit_b32 v2, v1, v0, 3", "v_perm_b32 v2, v1, v1, v0",
        "v_not_b32 v2, v0", "v_cmp_eq_u32 vcc, v0, v1", "v_readfirstlane_b32 s0, v0",
        "v_lshl_add_u64 v[2:3], v[0:1], 0, 0", "v_add_co_u32 v2, vcc, v0, v1",
        "v_bitop3_b32 v2, v0, v1, 0 bitop3:0x6c", "v_mbcnt_lo_u32_b32 v2, v0, 0",
        "global_load_dword v2, v[0:1], off", "ds_read_b32 v2, v0"}) {
    State state;
    hold_data(state);
    EXPECT_EQ(refused([&] { state.run(text); }), "data_arithmetic") << text;
  }
}

// OCP e4m3 to e4m3fnuz as arithmetic on four codes at once, against the table that says what it does to one.
TEST(MachineData, bytes_may_be_rewritten_where_a_launch_says_so) {
  const auto rewrite = [](State& state) {
    hold_data(state);
    state.set("s0", 0x7f7f7f7f);
    state.set("s1", 0x80808080);
    state.run("v_and_b32 v3, s0, v0");  // magnitude
    state.run("v_add_u32 v4, v3, s0");
    state.run("v_and_b32 v4, s1, v4");  // 0x80 where it is not 0
    state.run("v_add_u32 v5, 0x1010101, v3");
    state.run("v_and_b32 v5, s1, v5");  // 0x80 where it is NaN
    state.run("v_lshrrev_b32 v6, 7, v5");
    state.run("v_sub_u32 v6, v5, v6");  // 0x7f there
    state.run("v_not_b32 v6, v6");
    state.run("v_or_b32 v3, v3, v4");
    state.run("v_and_b32 v3, v0, v3");
    state.run("v_or_b32 v3, v3, v5");
    state.run("v_and_b32 v2, v3, v6");
  };
  ByteMap table{};
  for (std::uint32_t x = 0; x < 256; ++x)
    table[x] = static_cast<std::uint8_t>(x == 0x80 ? 0 : x % 128 == 127 ? 0x80 : x);
  State state;
  EXPECT_EQ(refused([&] { rewrite(state); }), "data_arithmetic") << "where it does not";
  const AllowRewrites allow(true);
  rewrite(state);
  for (std::uint32_t b = 0; b < 4; ++b) EXPECT_EQ(state.wave.vectors[2].at(5)[b], mapped(4 * 5 + b, table));
  // Bit 7 moved to bit 0, and the constant part of a torn byte.
  state.run("v_and_b32 v3, s1, v0");
  state.run("v_lshrrev_b32 v2, 7, v3");
  for (std::uint32_t x = 0; x < 256; ++x) table[x] = static_cast<std::uint8_t>(x >> 7);
  for (std::uint32_t b = 0; b < 4; ++b) EXPECT_EQ(state.wave.vectors[2].at(5)[b], mapped(4 * 5 + b, table));
  state.run("v_bitop3_b32 v2, v0, s0, 0 bitop3:0x30");  // a & ~b
  for (std::uint32_t x = 0; x < 256; ++x) table[x] = x & 0x80;
  for (std::uint32_t b = 0; b < 4; ++b) EXPECT_EQ(state.wave.vectors[2].at(5)[b], mapped(4 * 5 + b, table));
  state.run("v_xor_b32 v2, v0, v0");
  EXPECT_EQ(lane5(state), "00 00 00 00");
  for (const char* text : {"v_add_u32 v2, v0, 1", "v_xor_b32 v2, v0, v1", "v_lshrrev_b32 v2, 7, v0",
                           "v_lshl_add_u32 v2, v0, 0, v1"}) {
    EXPECT_EQ(refused([&] { state.run(text); }), "data_arithmetic")
        << text << ": a carry, or two bytes of data in one";
  }
}

TEST(MachineLanes, inactive_lanes_keep_what_they_hold_and_may_hold_anything) {
  State state;
  hold_data(state);
  state.set("v2", 7);
  state.set("exec", 2);
  state.wave.vectors[0].set(1, word_of(3));
  state.run("v_add_u32 v2, v0, 1");  // only lane 1 is computed with, and it is a number
  EXPECT_EQ(state.get("v2", 0), 7u);
  EXPECT_EQ(state.get("v2", 1), 4u);
  state.set("vcc", ~std::uint64_t{0});
  state.run("v_cmp_eq_u32 vcc, v2, 4");
  EXPECT_EQ(state.get("vcc"), 2u) << "inactive lanes give 0";
  state.run("v_readfirstlane_b32 s0, v2");
  EXPECT_EQ(state.get("s0"), 4u);
}

TEST(MachineLanes, the_low_half_of_a_product_does_not_depend_on_a_high_addend) {
  State state;
  hold_data(state);
  state.set("v8", 5);
  state.wave.vectors[9] = state.wave.vectors[0];
  state.run("v_mad_u64_u32 v[2:3], s[2:3], 3, 4, v[8:9]");
  EXPECT_EQ(state.get("v2"), 17u);
  EXPECT_EQ(state.wave.vectors[3].undefined, ~LaneMask{0});
  EXPECT_EQ(refused([&] { state.run("v_cmp_eq_u32 vcc, v3, 0"); }), "undefined_value");
  EXPECT_EQ(refused([&] { state.run("v_mad_u64_u32 v[2:3], s[2:3], 3, v0, v[8:9]"); }), "data_arithmetic");
}

TEST(MachineLanes, ones_below_a_lane_are_counted) {
  State state;
  state.run("v_mbcnt_lo_u32_b32 v1, -1, 0");
  state.run("v_mbcnt_hi_u32_b32 v2, -1, v1");
  for (const std::uint32_t lane : {0u, 1u, 31u, 32u, 33u, 63u}) {
    EXPECT_EQ(state.get("v1", lane), std::min(lane, 32u));
    EXPECT_EQ(state.get("v2", lane), lane);
  }
}

TEST(MachineLanes, branches_on_the_mask) {
  State state;
  state.set("pc", 100);
  state.run("s_cbranch_execz 2", 0xbf880002);
  EXPECT_EQ(state.get("pc"), 100u);
  state.run("s_cbranch_execnz 2", 0xbf890002);
  EXPECT_EQ(state.get("pc"), 108u);
}

TEST(MachineUndefined, what_was_never_written_decides_nothing) {
  for (const char* text :
       {"v_cmp_eq_u32 vcc, v9, 0", "s_cbranch_scc0 1", "s_and_saveexec_b64 s[0:1], s[8:9]",
        "global_load_dword v2, v[8:9], off", "v_cndmask_b32 v0, 0, 0, s[8:9]", "s_load_dword s0, s[8:9], 0x0",
        "s_mov_b64 exec, s[8:9]", "s_cselect_b32 s0, 0, 0"}) {
    State state;
    state.wave.scc.defined = false;
    EXPECT_EQ(refused([&] { state.run(text, 0xbf840001); }), "undefined_value") << text;
  }
  State state;
  state.run("s_add_u32 s0, s8, 1");  // may be computed, and stays undefined
  EXPECT_FALSE(state.wave.scalars[0].defined);
  EXPECT_FALSE(state.wave.scc.defined);
}

// 512 bytes at 0x1000 that hold input bytes, 512 at 0x2000 to be written; v[10:11] points to 16 bytes a lane.
struct WithMemory : State {
  WithMemory() {
    std::vector<Byte> data(1024);
    for (std::uint32_t i = 0; i < 1024; ++i) data[i] = input_byte(i);
    memory.add("input", 0x1000, data, Use::read_only);
    memory.add("output", 0x2000, std::vector<Byte>(1024, kUndefined), Use::read_write);
    std::vector<Byte> table(64);
    std::iota(table.begin(), table.end(), 0);
    memory.add("table", 0x3000, table, Use::read_only);
    at(0x1000, 16);
  }
  void at(std::uint32_t base, std::uint32_t stride) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      wave.vectors[10].set(lane, word_of(base + stride * lane));
      wave.vectors[11].set(lane, word_of(0));
    }
  }
  Region& output() { return memory.all()[1]; }
  void wait() { run("s_waitcnt vmcnt(0) lgkmcnt(0)", 0xbf8c0070); }
};

TEST(MachineMemory, loads_and_stores_of_every_width) {
  for (const auto& [width, load, store] : std::vector<std::tuple<std::uint32_t, const char*, const char*>>{
           {16, "global_load_dwordx4 v[0:3], v[10:11], off", "global_store_dwordx4 v[10:11], v[0:3], off"},
           {12, "global_load_dwordx3 v[0:2], v[10:11], off", "global_store_dwordx3 v[10:11], v[0:2], off"},
           {8, "global_load_dwordx2 v[0:1], v[10:11], off", "global_store_dwordx2 v[10:11], v[0:1], off"},
           {4, "global_load_dword v0, v[10:11], off", "global_store_dword v[10:11], v0, off"},
           {2, "global_load_ushort v0, v[10:11], off", "global_store_short v[10:11], v0, off"},
           {1, "global_load_ubyte v0, v[10:11], off", "global_store_byte v[10:11], v0, off"},
           {2, "global_load_short_d16 v0, v[10:11], off", "global_store_short v[10:11], v0, off"},
           {2, "global_load_short_d16_hi v0, v[10:11], off", "global_store_short_d16_hi v[10:11], v0, off"},
           {16, "ds_read_b128 v[0:3], v10", "ds_write_b128 v10, v[0:3]"},
           {12, "ds_read_b96 v[0:2], v10", "ds_write_b96 v10, v[0:2]"},
           {8, "ds_read_b64 v[0:1], v10", "ds_write_b64 v10, v[0:1]"},
           {4, "ds_read_b32 v0, v10", "ds_write_b32 v10, v0"},
           {2, "ds_read_u16 v0, v10", "ds_write_b16 v10, v0"},
           {2, "ds_read_u16_d16 v0, v10", "ds_write_b16 v10, v0"},
           {2, "ds_read_u16_d16_hi v0, v10", "ds_write_b16_d16_hi v10, v0"},
           {1, "ds_read_u8 v0, v10", "ds_write_b8 v10, v0"}}) {
    SCOPED_TRACE(load);
    WithMemory state;
    const bool lds = std::string_view(load).starts_with("ds");
    if (lds) {
      for (std::uint32_t i = 0; i < 1024; ++i) state.lds.bytes[i] = input_byte(i);
      state.at(0, 16);
    }
    state.run(load);
    state.wait();
    if (lds) {
      state.lds.reset(1024, 1);
    } else {
      state.at(0x2000, 16);
    }
    state.run(store);
    const std::vector<Byte>& written = lds ? state.lds.bytes : state.output().bytes;
    for (std::uint32_t i = 0; i < 1024; ++i)
      EXPECT_EQ(written[i], i % 16 < width ? input_byte(i) : kUndefined) << i;
  }
}

TEST(MachineMemory, two_places_at_once_in_the_lds) {
  for (const auto& [write, read, first, second, width] :
       std::vector<std::tuple<const char*, const char*, int, int, int>>{
           {"ds_write2_b32 v10, v0, v1 offset0:1 offset1:2", "ds_read2_b32 v[4:5], v10 offset0:1 offset1:2",
            4, 8, 4},
           {"ds_write2st64_b32 v10, v0, v1 offset1:1", "ds_read2st64_b32 v[4:5], v10 offset1:1", 0, 256, 4},
           {"ds_write2_b64 v10, v[0:1], v[2:3] offset0:1 offset1:3",
            "ds_read2_b64 v[4:7], v10 offset0:1 offset1:3", 8, 24, 8},
           {"ds_write2st64_b64 v10, v[0:1], v[2:3] offset1:1", "ds_read2st64_b64 v[4:7], v10 offset1:1", 0,
            512, 8}}) {
    SCOPED_TRACE(write);
    State state;
    state.set("exec", 1);
    for (int r = 0; r < 4; ++r)
      state.wave.vectors[static_cast<std::size_t>(r)].set(
          0, word_of(0x01010101u * static_cast<unsigned>(r + 1)));
    state.set("v10", 0);
    state.run(write);
    state.run(read);
    EXPECT_EQ(state.lds.bytes[static_cast<std::size_t>(first)], 1u);
    EXPECT_EQ(state.lds.bytes[static_cast<std::size_t>(second)], width == 4 ? 2u : 3u);
    EXPECT_EQ(state.lds.bytes[static_cast<std::size_t>(second + width)], kUndefined);
    state.run("s_waitcnt lgkmcnt(0)", 0xbf8cc07f);
    EXPECT_EQ(state.get(width == 4 ? "v5" : "v7"), width == 4 ? 0x02020202u : 0x04040404u);
  }
}

TEST(MachineMemory, signs_are_extended) {
  WithMemory state;
  state.memory.add("numbers", 0x4000, {0x80, 0xff, 0x7f, 0}, Use::read_only);
  state.lds.bytes[0] = 0x80, state.lds.bytes[1] = 0xff;
  state.set("exec", 1);
  state.set("v[10:11]", 0x4000);
  state.set("v12", 0);
  state.run("global_load_sbyte v0, v[10:11], off");
  state.run("global_load_sshort v1, v[10:11], off");
  state.run("ds_read_i8 v2, v12");
  state.run("ds_read_i16 v3, v12");
  state.wait();
  EXPECT_EQ(state.get("v0"), 0xffffff80u);
  EXPECT_EQ(state.get("v1"), 0xffffff80u);
  EXPECT_EQ(state.get("v2"), 0xffffff80u);
  EXPECT_EQ(state.get("v3"), 0xffffff80u);
}

TEST(MachineMemory, scalar_loads_of_every_width_and_scalar_bases) {
  for (const auto& [text, last] :
       std::vector<std::pair<const char*, const char*>>{{"s_load_dword s16, s[0:1], 0x0", "s16"},
                                                        {"s_load_dwordx2 s[16:17], s[0:1], 0x0", "s17"},
                                                        {"s_load_dwordx4 s[16:19], s[0:1], 0x0", "s19"},
                                                        {"s_load_dwordx8 s[16:23], s[0:1], 0x0", "s23"},
                                                        {"s_load_dwordx16 s[16:31], s[0:1], 0x0", "s31"}}) {
    WithMemory state;
    state.set("s[0:1]", 0x3000);
    state.run(text);
    state.wait();
    const auto i = static_cast<std::uint32_t>(std::stoul(last + 1)) - 16;
    EXPECT_EQ(state.get(last), (4 * i) | (4 * i + 1) << 8 | (4 * i + 2) << 16 | (4 * i + 3) << 24) << text;
  }
  WithMemory state;
  state.set("s[0:1]", 0x2ff0);
  state.set("s2", 8);
  state.run("s_load_dword s3, s[0:1], s2 offset:0x10");
  state.set("v12", 4);
  state.run("global_load_dword v0, v12, s[0:1] offset:20");
  state.wait();
  EXPECT_EQ(state.get("s3"), 0x0b0a0908u);
  EXPECT_EQ(state.get("v0"), 0x0b0a0908u);
  state.set("s[0:1]", 0x1000);
  EXPECT_EQ(refused([&] { state.run("s_load_dword s3, s[0:1], 0x0"); }), "data_arithmetic");
  EXPECT_EQ(refused([&] { state.run("s_load_dword s3, s[0:1], 0x2"); }), "alignment");
}

TEST(MachineMemory, bounds_alignment_and_what_is_only_read) {
  const auto load_at = [](std::uint32_t base, std::uint32_t stride) {
    WithMemory state;
    state.at(base, stride);
    return refused([&] { state.run("global_load_dwordx4 v[0:3], v[10:11], off"); });
  };
  EXPECT_EQ(load_at(0x1000, 16), "none");
  EXPECT_EQ(load_at(0x1010, 16), "bounds") << "lane 63 reads 16 bytes beyond";
  EXPECT_EQ(load_at(0xff0, 16), "bounds");
  EXPECT_EQ(load_at(0x1004, 4), "alignment");
  EXPECT_EQ(load_at(0x9000, 0), "bounds");
  WithMemory state;
  state.run("global_load_dwordx4 v[0:3], v[10:11], off");
  state.wait();
  EXPECT_EQ(refused([&] { state.run("global_store_dwordx4 v[10:11], v[0:3], off"); }), "memory");
  state.at(0x2000, 16);
  EXPECT_EQ(refused([&] { state.run("global_store_dwordx4 v[10:11], v[20:23], off"); }), "undefined_value");
  state.set("v12", 1016);
  EXPECT_EQ(refused([&] { state.run("ds_read_b128 v[4:7], v12"); }), "bounds");
  state.set("v12", 8);
  EXPECT_EQ(refused([&] { state.run("ds_read_b128 v[4:7], v12"); }), "alignment");
}

TEST(MachineMemory, lines_are_counted) {
  WithMemory state;
  state.run("global_load_dwordx4 v[0:3], v[10:11], off");
  EXPECT_EQ(state.loads.touched, 8u);
  EXPECT_EQ(state.loads.ideal, 8u);
  state.at(0x1000, 0);
  state.set("exec", 0xff);
  state.at(0x1000, 128);
  state.run("global_load_dword v4, v[10:11], off");
  EXPECT_EQ(state.loads.touched, 16u) << "eight lanes, a line each";
  EXPECT_EQ(state.loads.ideal, 9u) << "32 bytes fit into one";
}

TEST(MachineWaits, a_loaded_register_is_waited_for) {
  WithMemory state;
  state.run("global_load_dword v0, v[10:11], off");
  state.run("global_load_dword v1, v[10:11], off");
  EXPECT_EQ(refused([&] { state.run("v_mov_b32 v2, v0"); }), "wait");
  EXPECT_EQ(refused([&] { state.run("v_mov_b32 v0, 0"); }), "wait") << "nor overwritten";
  state.run("s_waitcnt vmcnt(1)", 0xbf8c0f71);
  EXPECT_EQ(refused([&] { state.run("v_mov_b32 v2, v0"); }), "none");
  EXPECT_EQ(refused([&] { state.run("v_mov_b32 v2, v1"); }), "wait");
  state.run("s_waitcnt vmcnt(0)", 0xbf8c0f70);
  EXPECT_EQ(refused([&] { state.run("v_mov_b32 v2, v1"); }), "none");
  state.set("s[0:1]", 0x3000);
  state.run("s_load_dword s4, s[0:1], 0x0");
  state.run("s_load_dword s5, s[0:1], 0x4");
  EXPECT_EQ(refused([&] { state.run("s_add_u32 s6, s4, 1"); }), "wait");
  EXPECT_EQ(refused([&] { state.run("s_waitcnt lgkmcnt(1)", 0xbf8cc17f); }), "wait")
      << "scalar loads return in any order";
  state.run("s_waitcnt lgkmcnt(0)", 0xbf8cc07f);
  EXPECT_EQ(refused([&] { state.run("s_add_u32 s6, s4, s5"); }), "none");
}

TEST(MachineWaits, nothing_is_in_flight_at_a_barrier) {
  WithMemory state;
  state.run("global_load_dword v0, v[10:11], off");
  EXPECT_EQ(refused([&] { state.run("s_barrier"); }), "in_flight");
  state.wait();
  state.at(0, 4);
  state.run("ds_write_b32 v10, v0");
  EXPECT_EQ(refused([&] { state.run("s_barrier"); }), "in_flight");
  state.wait();
  state.run("s_barrier");
  EXPECT_TRUE(state.wave.at_barrier);
  state.run("s_endpgm");
  EXPECT_TRUE(state.wave.ended);
}

TEST(MachineRegisters, the_condition_of_a_tie_is_undefined) {
  for (const char* text : {"s_max_u32 s0, s1, s2", "s_max_i32 s0, s1, s2"}) {
    State state;
    state.set("s1", 5);
    state.set("s2", 5);
    state.run(text);
    EXPECT_EQ(state.get("s0"), 5u);
    EXPECT_EQ(refused([&] { state.run("s_cselect_b32 s0, 1, 2"); }), "undefined_value") << text;
    state.set("s2", 6);
    state.run(text);
    EXPECT_EQ(refused([&] { state.run("s_cselect_b32 s0, 1, 2"); }), "none") << text;
  }
}

// Whether the last of these comes too soon; nothing is executed.
std::string hazard(bool gfx940, const std::vector<std::string>& texts) {
  Hazards hazards(gfx940);
  hazards.restart();
  return refused([&] {
    for (const std::string& text : texts) {
      const std::uint32_t count =
          text.starts_with("s_nop") ? static_cast<std::uint32_t>(text.back() - '0') : 0;
      const Instruction instruction = decode_text(text, 0xbf800000 | count);
      ASSERT_NE(instruction.opcode, nullptr) << text;
      hazards.issue(instruction);
    }
  });
}

TEST(MachineHazards, what_comes_too_soon_behind_another) {
  const std::string sum = "v_add_co_u32 v0, vcc, v1, v2";
  const std::string carry = "v_addc_co_u32 v3, vcc, v4, v5, vcc";
  EXPECT_EQ(hazard(true, {sum, carry}), "hazard");
  EXPECT_EQ(hazard(true, {sum, "s_nop 0", carry}), "hazard");
  EXPECT_EQ(hazard(true, {sum, "s_nop 1", carry}), "none");
  EXPECT_EQ(hazard(true, {sum, "s_nop 0", "v_mov_b32 v9, 0", carry}), "none");
  EXPECT_EQ(hazard(false, {sum, carry}), "none") << "gfx90a waits by itself";

  const std::string lane = "v_readfirstlane_b32 s4, v1";
  const std::string from = "global_load_dword v2, v3, s[4:5]";
  EXPECT_EQ(hazard(true, {lane, "v_mov_b32 v9, s4"}), "hazard");
  EXPECT_EQ(hazard(true, {lane, "v_mov_b32 v9, s6"}), "none");
  for (const bool gfx940 : {false, true}) {
    EXPECT_EQ(hazard(gfx940, {lane, "s_nop 3", from}), "hazard");
    EXPECT_EQ(hazard(gfx940, {lane, "s_nop 4", from}), "none");
  }
  EXPECT_EQ(hazard(true, {"v_mov_b32 v1, 0", lane}), "hazard");
  EXPECT_EQ(hazard(true, {"v_mov_b32 v1, 0", "s_nop 0", lane}), "none");
  EXPECT_EQ(hazard(false, {"v_mov_b32 v1, 0", lane}), "none");

  const std::string wide = "global_store_dwordx4 v[10:11], v[4:7], off";
  EXPECT_EQ(hazard(false, {wide, "v_mov_b32 v7, 0"}), "hazard");
  EXPECT_EQ(hazard(false, {wide, "v_mov_b32 v8, 0"}), "none");
  EXPECT_EQ(hazard(false, {wide, "s_nop 0", "v_mov_b32 v7, 0"}), "none");
  EXPECT_EQ(hazard(true, {wide, "s_nop 0", "v_mov_b32 v7, 0"}), "hazard");
  EXPECT_EQ(hazard(true, {wide, "s_nop 1", "v_mov_b32 v7, 0"}), "none");
  EXPECT_EQ(hazard(true, {"global_store_dwordx2 v[10:11], v[4:5], off", "v_mov_b32 v5, 0"}), "none");
}

TEST(MachineRegisters, only_the_kernels_own) {
  State state;
  EXPECT_EQ(refused([&] { state.run("v_mov_b32 v119, 0"); }), "none");
  EXPECT_EQ(refused([&] { state.run("v_mov_b32 v120, 0"); }), "registers") << "v120 is a0";
  EXPECT_EQ(refused([&] { state.run("v_accvgpr_write_b32 a7, 0"); }), "none");
  EXPECT_EQ(refused([&] { state.run("v_accvgpr_write_b32 a8, 0"); }), "registers");
}

TEST(MachineRaces, two_work_items_of_one_epoch) {
  const Accessor one{1, 1, 1};
  const Accessor other{1, 1, 2};
  const Accessor later{1, 2, 2};
  const auto race = [](const std::function<void(Lds&)>& accesses) {
    Lds lds;
    lds.reset(64, 16);
    return refused([&] { accesses(lds); });
  };
  EXPECT_EQ(race([&](Lds& l) { l.note_write(0, 16, one), l.note_read(0, 16, other); }), "race");
  EXPECT_EQ(race([&](Lds& l) { l.note_write(0, 16, one), l.note_write(0, 16, other); }), "race");
  EXPECT_EQ(race([&](Lds& l) { l.note_read(0, 16, one), l.note_write(0, 16, other); }), "race");
  EXPECT_EQ(
      race([&](Lds& l) { l.note_read(0, 16, one), l.note_read(0, 16, other), l.note_write(0, 16, other); }),
      "race");
  EXPECT_EQ(race([&](Lds& l) { l.note_read(0, 16, one), l.note_read(0, 16, other); }), "none");
  EXPECT_EQ(race([&](Lds& l) { l.note_write(0, 16, one), l.note_read(0, 16, later); }), "none");
  EXPECT_EQ(race([&](Lds& l) { l.note_write(0, 16, one), l.note_write(16, 16, other); }), "none");
  EXPECT_EQ(
      race([&](Lds& l) { l.note_write(0, 16, one), l.note_read(0, 16, one), l.note_write(0, 16, one); }),
      "none");
}

TEST(MachineRaces, two_workgroups) {
  const Accessor one{1, 1, 1};
  const Accessor other{2, 7, 1};
  const auto conflict = [](const std::function<void(Memory&, Region&)>& accesses) {
    Memory memory(16);
    Region& region = memory.add("block", 0, std::vector<Byte>(64, 0), Use::read_write);
    return refused([&] { accesses(memory, region); });
  };
  EXPECT_EQ(
      conflict([&](Memory& m, Region& r) { m.note_write(r, 0, 16, one), m.note_write(r, 0, 16, other); }),
      "workgroups");
  EXPECT_EQ(
      conflict([&](Memory& m, Region& r) { m.note_write(r, 0, 16, one), m.note_read(r, 0, 16, other); }),
      "workgroups");
  EXPECT_EQ(
      conflict([&](Memory& m, Region& r) { m.note_read(r, 0, 16, one), m.note_write(r, 0, 16, other); }),
      "workgroups");
  EXPECT_EQ(conflict([&](Memory& m, Region& r) {
              m.note_read(r, 0, 16, one), m.note_read(r, 0, 16, other), m.note_write(r, 0, 16, other);
            }),
            "workgroups");
  EXPECT_EQ(conflict([&](Memory& m, Region& r) { m.note_read(r, 0, 16, one), m.note_read(r, 0, 16, other); }),
            "none");
  EXPECT_EQ(
      conflict([&](Memory& m, Region& r) { m.note_write(r, 0, 16, one), m.note_write(r, 16, 16, other); }),
      "none");
}

}  // namespace
}  // namespace pageproof::machine::tests
