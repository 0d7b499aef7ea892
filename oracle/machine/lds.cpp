// The LDS: in bounds, aligned, and no two work-items of an epoch in conflict.
#include "oracle/machine/access.hpp"
#include "oracle/machine/families.hpp"

namespace pageproof::machine {
namespace {

std::uint64_t place(Wave& wave, const Instruction& in, const Word& address, std::uint32_t which) {
  if (!is_known(address)) {
    arithmetic(address);
    refute(Check::undefined_value, "an address in the LDS is undefined");
  }
  const std::uint32_t width = in.opcode->access_bytes;
  const std::uint32_t unit = (in.opcode->parameter & kTwo) == 0        ? 1
                             : (in.opcode->parameter & kStride64) != 0 ? 64 * width
                                                                       : width;
  const std::uint64_t at = std::uint64_t{value_of(address)} +
                           static_cast<std::uint32_t>(which == 0 ? in.offset : in.offset1) * unit;
  if (at + width > wave.group.lds.bytes.size()) {
    refute(Check::bounds, "{} bytes at {} of the LDS, which has {} bytes", width, at,
           wave.group.lds.bytes.size());
  }
  if (at % (width == 12 ? 4 : width) != 0) refute(Check::alignment, "{} bytes at {} of the LDS", width, at);
  record(wave.group.trace, at);
  return at;
}

void load(Wave& wave, const Instruction& in) {
  const std::uint32_t width = in.opcode->access_bytes;
  const std::uint32_t places = (in.opcode->parameter & kTwo) != 0 ? 2 : 1;
  const VectorRegister address = wave.vector(in.operand[1]);  // a copy: it may be the destination
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(wave.exec(), lane)) continue;
    for (std::uint32_t which = 0; which < places; ++which) {
      const std::uint64_t at = place(wave, in, address.at(lane), which);
      wave.group.lds.note_read(at, width, wave.accessor(lane));
      load_lane(wave, in, which * width / 4, lane, std::span(wave.group.lds.bytes).subspan(at, width));
    }
  }
  issue_load(wave, in, Wave::Queue::lds_and_scalar, Wave::Access::lds);
}

void store(Wave& wave, const Instruction& in) {
  const std::uint32_t width = in.opcode->access_bytes;
  const std::uint32_t places = (in.opcode->parameter & kTwo) != 0 ? 2 : 1;
  const VectorRegister& address = wave.vector(in.operand[0]);
  const VectorRegister* data[2][4]{};
  for (std::uint32_t which = 0; which < places; ++which) {
    for (std::uint32_t i = 0; i < (width + 3) / 4; ++i)
      data[which][i] = &wave.vector(in.operand[1 + which], i);
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(wave.exec(), lane)) continue;
    for (std::uint32_t which = 0; which < places; ++which) {
      const std::uint64_t at = place(wave, in, address.at(lane), which);
      wave.group.lds.note_write(at, width, wave.accessor(lane));
      store_lane(in, data[which], lane, std::span(wave.group.lds.bytes).subspan(at, width));
    }
  }
  wave.issue(Wave::Queue::lds_and_scalar, Wave::Access::lds, {}, 0);
}

constexpr Opcode kTable[] = {
    {"ds_read_u8", "V1v1", load, 0, 1, false},
    {"ds_read_i8", "V1v1", load, kSigned, 1, false},
    {"ds_read_u16", "V1v1", load, 0, 2, false},
    {"ds_read_i16", "V1v1", load, kSigned, 2, false},
    {"ds_read_u16_d16", "V1v1", load, kHalf, 2, false},
    {"ds_read_u16_d16_hi", "V1v1", load, kHalf | kHighHalf, 2, false},
    {"ds_read_b32", "V1v1", load, 0, 4, false},
    {"ds_read_b64", "V2v1", load, 0, 8, false},
    {"ds_read_b96", "V3v1", load, 0, 12, false},
    {"ds_read_b128", "V4v1", load, 0, 16, false},
    {"ds_read2_b32", "V2v1", load, kTwo, 4, false},
    {"ds_read2_b64", "V4v1", load, kTwo, 8, false},
    {"ds_read2st64_b32", "V2v1", load, kTwo | kStride64, 4, false},
    {"ds_read2st64_b64", "V4v1", load, kTwo | kStride64, 8, false},
    {"ds_write_b8", "v1v1", store, 0, 1, true},
    {"ds_write_b16", "v1v1", store, 0, 2, true},
    {"ds_write_b16_d16_hi", "v1v1", store, kHighHalf, 2, true},
    {"ds_write_b32", "v1v1", store, 0, 4, true},
    {"ds_write_b64", "v1v2", store, 0, 8, true},
    {"ds_write_b96", "v1v3", store, 0, 12, true},
    {"ds_write_b128", "v1v4", store, 0, 16, true},
    {"ds_write2_b32", "v1v1v1", store, kTwo, 4, true},
    {"ds_write2_b64", "v1v2v2", store, kTwo, 8, true},
    {"ds_write2st64_b32", "v1v1v1", store, kTwo | kStride64, 4, true},
    {"ds_write2st64_b64", "v1v2v2", store, kTwo | kStride64, 8, true},
};

}  // namespace

std::span<const Opcode> lds() {
  return kTable;
}

}  // namespace pageproof::machine
