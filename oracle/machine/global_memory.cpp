// Global memory: in bounds, aligned, conflict-free, and counted in lines of 128 bytes. A load takes its value
// when it is issued; its register stays marked until it is waited for.
#include <algorithm>

#include "oracle/machine/access.hpp"
#include "oracle/machine/families.hpp"

namespace pageproof::machine {
namespace {

constexpr std::uint64_t kLineBytes = 128;

// The active lanes' addresses: a vector register pair, or a scalar pair plus a vector register.
std::array<std::uint64_t, kLanes> addresses(const Wave& wave, const Instruction& in, const Operand& address,
                                            const Operand& base) {
  std::array<std::uint64_t, kLanes> result;
  const bool with_base = base.kind == OperandKind::scalar;
  if (with_base == (address.width == 2))
    refute(Check::instruction, "{}: an address of this form is not modelled", in.text);
  const std::uint64_t start = (with_base ? wave.decided64(base, "an address") : 0) +
                              static_cast<std::uint64_t>(std::int64_t{in.offset});
  const VectorRegister& low = wave.vector(address, 0);
  const VectorRegister* high = with_base ? nullptr : &wave.vector(address, 1);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(wave.exec(), lane)) continue;
    const LaneMask not_numbers = low.not_numbers() | (high != nullptr ? high->not_numbers() : 0);
    if (has_lane(not_numbers, lane)) {
      arithmetic(low.at(lane), high != nullptr ? high->at(lane) : Word{});
      refute(Check::undefined_value, "an address is undefined");
    }
    result[lane] = start + (high != nullptr ? std::uint64_t{high->value[lane]} << 32 : 0) + low.value[lane];
    record(wave.group.trace, result[lane] ^ std::uint64_t{lane} << 48);
    const std::uint32_t width = in.opcode->access_bytes;
    if (result[lane] % (width == 12 ? 4 : width) != 0)
      refute(Check::alignment, "{} bytes at {:#x}", width, result[lane]);
  }
  return result;
}

// Distinct lines of the active lanes, against as few as their bytes fit into.
void count(Traffic& traffic, const Wave& wave, std::uint32_t width,
           const std::array<std::uint64_t, kLanes>& address) {
  std::array<std::uint64_t, 2 * kLanes> lines;
  std::size_t used = 0;
  std::uint32_t active = 0;
  const auto touch = [&](std::uint64_t line) {
    if (used == 0 || lines[used - 1] != line) lines[used++] = line;
  };
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(wave.exec(), lane)) continue;
    ++active;
    touch(address[lane] / kLineBytes);
    touch((address[lane] + width - 1) / kLineBytes);
  }
  const auto end = lines.begin() + static_cast<std::ptrdiff_t>(used);
  std::sort(lines.begin(), end);
  traffic.touched += static_cast<std::uint64_t>(std::unique(lines.begin(), end) - lines.begin());
  traffic.ideal += (std::uint64_t{active} * width + kLineBytes - 1) / kLineBytes;
}

void load(Wave& wave, const Instruction& in) {
  const std::uint32_t width = in.opcode->access_bytes;
  const auto address = addresses(wave, in, in.operand[1], in.operand[2]);
  count(wave.group.loads, wave, width, address);
  Memory& memory = wave.group.memory;
  Region* region = nullptr;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(wave.exec(), lane)) continue;
    region = &memory.find(address[lane], width, region);
    const std::uint64_t at = address[lane] - region->base;
    memory.note_read(*region, at, width, wave.accessor(lane));
    load_lane(wave, in, 0, lane, std::span(region->bytes).subspan(at, width));
  }
  issue_load(wave, in, Wave::Queue::vector_memory, Wave::Access::vector_load);
}

void store(Wave& wave, const Instruction& in) {
  const std::uint32_t width = in.opcode->access_bytes;
  const auto address = addresses(wave, in, in.operand[0], in.operand[2]);
  count(wave.group.stores, wave, width, address);
  const VectorRegister* data[4]{};
  for (std::uint32_t i = 0; i < (width + 3) / 4; ++i) data[i] = &wave.vector(in.operand[1], i);
  Memory& memory = wave.group.memory;
  Region* region = nullptr;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(wave.exec(), lane)) continue;
    region = &memory.find(address[lane], width, region);
    const std::uint64_t at = address[lane] - region->base;
    memory.note_write(*region, at, width, wave.accessor(lane));
    const std::span<Byte> bytes = std::span(region->bytes).subspan(at, width);
    store_lane(in, data, lane, bytes);
    if (std::ranges::find(bytes, kUndefined) != bytes.end()) {
      refute(Check::undefined_value, "an undefined byte is stored to {}", region->name);
    }
  }
  wave.issue(Wave::Queue::vector_memory, Wave::Access::store, {}, 0);
}

constexpr Opcode kTable[] = {
    {"global_load_ubyte", "V1p2o0", load, 0, 1, false},
    {"global_load_sbyte", "V1p2o0", load, kSigned, 1, false},
    {"global_load_ushort", "V1p2o0", load, 0, 2, false},
    {"global_load_sshort", "V1p2o0", load, kSigned, 2, false},
    {"global_load_short_d16", "V1p2o0", load, kHalf, 2, false},
    {"global_load_short_d16_hi", "V1p2o0", load, kHalf | kHighHalf, 2, false},
    {"global_load_dword", "V1p2o0", load, 0, 4, false},
    {"global_load_dwordx2", "V2p2o0", load, 0, 8, false},
    {"global_load_dwordx3", "V3p2o0", load, 0, 12, false},
    {"global_load_dwordx4", "V4p2o0", load, 0, 16, false},
    {"global_store_byte", "p2v1o0", store, 0, 1, true},
    {"global_store_short", "p2v1o0", store, 0, 2, true},
    {"global_store_short_d16_hi", "p2v1o0", store, kHighHalf, 2, true},
    {"global_store_dword", "p2v1o0", store, 0, 4, true},
    {"global_store_dwordx2", "p2v2o0", store, 0, 8, true},
    {"global_store_dwordx3", "p2v3o0", store, 0, 12, true},
    {"global_store_dwordx4", "p2v4o0", store, 0, 16, true},
};

}  // namespace

std::span<const Opcode> global_memory() {
  return kTable;
}

}  // namespace pageproof::machine
