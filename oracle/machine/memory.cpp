#include "oracle/machine/memory.hpp"

#include <algorithm>

namespace pageproof::machine {
namespace {

constexpr std::uint32_t kSeveral = UINT32_MAX;

void join(std::uint32_t& who, std::uint32_t now) {
  who = who == 0 || who == now ? now : kSeveral;
}

void read_cell(Cell& c, const Accessor& who) {
  if (c.reader_epoch != who.epoch) c.reader_item = 0;
  c.reader_epoch = who.epoch;
  join(c.reader_item, who.item);
  join(c.reader_workgroup, who.workgroup);
}

void write_cell(Cell& c, const Accessor& who) {
  c.writer_workgroup = who.workgroup;
  c.writer_epoch = who.epoch;
  c.writer_item = who.item;
}

[[gnu::cold]] [[noreturn]] void conflict(Check check, const char* what, const std::string& where,
                                         std::uint64_t offset) {
  refute(check, "{}, at byte {} of {}", what, offset, where);
}

// Within one epoch of one workgroup.
void check_read(const Cell& c, const Accessor& who, const std::string& where, std::uint64_t offset) {
  if (c.writer_epoch == who.epoch && c.writer_item != who.item) {
    conflict(Check::race, "written and read by two work-items without a barrier between", where, offset);
  }
}
void check_write(const Cell& c, const Accessor& who, const std::string& where, std::uint64_t offset) {
  if (c.writer_epoch == who.epoch && c.writer_item != who.item) {
    conflict(Check::race, "written by two work-items without a barrier between", where, offset);
  }
  if (c.reader_epoch == who.epoch && c.reader_item != who.item) {
    conflict(Check::race, "read and written by two work-items without a barrier between", where, offset);
  }
}

}  // namespace

Region& Memory::add(std::string name, std::uint64_t base, std::vector<Byte> bytes, Use use) {
  const std::size_t size = bytes.size();
  regions.push_back({std::move(name), base, std::move(bytes), use, {}});
  if (use == Use::read_write) regions.back().cells.resize((size + cell - 1) / cell);
  return regions.back();
}

Region& Memory::find(std::uint64_t address, std::uint32_t bytes, Region* hint) {
  const auto holds = [&](const Region& r) {
    return address >= r.base && address - r.base <= r.bytes.size() &&
           bytes <= r.bytes.size() - (address - r.base);
  };
  if (hint != nullptr && holds(*hint)) return *hint;
  for (Region& region : regions) {
    if (holds(region)) return region;
  }
  const auto distance = [&](const Region& r) {
    return address >= r.base ? address - r.base : r.base - address;
  };
  const auto nearest = std::ranges::min_element(regions, {}, distance);
  if (nearest == regions.end())
    refute(Check::bounds, "{} bytes at {:#x}: there is no memory", bytes, address);
  refute(Check::bounds, "{} bytes at {:#x}: the nearest memory is {}, {} bytes {}, of {} bytes", bytes,
         address, nearest->name, distance(*nearest), address >= nearest->base ? "before" : "behind",
         nearest->bytes.size());
}

void Memory::note_read(Region& region, std::uint64_t offset, std::uint32_t bytes, const Accessor& who) const {
  if (region.use == Use::read_only) return;
  for (std::uint64_t i = offset / cell; i * cell < offset + bytes; ++i) {
    Cell& c = region.cells[i];
    if (c.writer_workgroup != 0 && c.writer_workgroup != who.workgroup) {
      conflict(Check::workgroups, "written by one workgroup and read by another", region.name, i * cell);
    }
    check_read(c, who, region.name, i * cell);
    // Would also have to be proved to have left the caches.
    if (c.writer_workgroup != 0 && c.writer_item != who.item) {
      conflict(Check::race, "global memory carries a byte from one work-item to another", region.name,
               i * cell);
    }
    read_cell(c, who);
  }
}

void Memory::note_write(Region& region, std::uint64_t offset, std::uint32_t bytes,
                        const Accessor& who) const {
  if (region.use == Use::read_only) refute(Check::memory, "a store to {}, which is only read", region.name);
  for (std::uint64_t i = offset / cell; i * cell < offset + bytes; ++i) {
    Cell& c = region.cells[i];
    if (c.writer_workgroup != 0 && c.writer_workgroup != who.workgroup) {
      conflict(Check::workgroups, "written by two workgroups", region.name, i * cell);
    }
    if (c.reader_workgroup != 0 && c.reader_workgroup != who.workgroup) {
      conflict(Check::workgroups, "read by one workgroup and written by another", region.name, i * cell);
    }
    check_write(c, who, region.name, i * cell);
    write_cell(c, who);
  }
}

void Lds::reset(std::uint64_t size, std::uint32_t cell_bytes) {
  cell = cell_bytes;
  bytes.assign(size, kUndefined);
  cells.assign((size + cell - 1) / cell, Cell{});
}

void Lds::note_read(std::uint64_t offset, std::uint32_t count, const Accessor& who) {
  for (std::uint64_t i = offset / cell; i * cell < offset + count; ++i) {
    check_read(cells[i], who, "the LDS", i * cell);
    read_cell(cells[i], who);
  }
}

void Lds::note_write(std::uint64_t offset, std::uint32_t count, const Accessor& who) {
  for (std::uint64_t i = offset / cell; i * cell < offset + count; ++i) {
    check_write(cells[i], who, "the LDS", i * cell);
    write_cell(cells[i], who);
  }
}

}  // namespace pageproof::machine
