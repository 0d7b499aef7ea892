// The memory of a launch: the blocks, tables and arguments that it may touch, and nothing between them, so
// that a pool of petabytes costs what its listed blocks cost. Beside the bytes stands who touched them last:
//
//   cell   as many bytes as the narrowest access of the kernel (accesses are aligned, so none covers a part)
//   epoch  a number of its own for the time of one workgroup between two barriers
//
// Two work-items of one epoch conflict when one of them writes; two workgroups conflict whenever one writes.
// Where nothing conflicts, the order in which waves run cannot matter, and one order proves all.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "oracle/machine/byte.hpp"

namespace pageproof::machine {

// Who accesses: numbers of a launch, from 1.
struct Accessor {
  std::uint32_t workgroup = 1;
  std::uint32_t epoch = 1;
  std::uint32_t item = 1;
};

// The last accesses of one cell.
struct Cell {
  std::uint32_t writer_workgroup = 0, writer_epoch = 0, writer_item = 0;
  std::uint32_t reader_workgroup = 0, reader_epoch = 0, reader_item = 0;
};

enum class Use : std::uint8_t { read_only, read_write };

struct Region {
  std::string name;  // "K-plane block 2147483646 of layer 1"
  std::uint64_t base = 0;
  std::vector<Byte> bytes;
  Use use = Use::read_only;
  std::vector<Cell> cells;  // of what is written; read-only memory cannot conflict
};

class Memory {
 public:
  explicit Memory(std::uint32_t cell_bytes) : cell(cell_bytes) {}

  Region& add(std::string name, std::uint64_t base, std::vector<Byte> bytes, Use use);

  // The region that holds [address, address + bytes); refuted otherwise. `hint` is where the last lane found
  // its own.
  Region& find(std::uint64_t address, std::uint32_t bytes, Region* hint);

  void note_read(Region& region, std::uint64_t offset, std::uint32_t bytes, const Accessor& who) const;
  void note_write(Region& region, std::uint64_t offset, std::uint32_t bytes, const Accessor& who) const;

  std::deque<Region>& all() { return regions; }
  std::uint32_t cell_bytes() const { return cell; }

 private:
  std::uint32_t cell;
  std::deque<Region> regions;  // a region's address stays while others are added
};

// The LDS of one workgroup: the same cells, without other workgroups.
class Lds {
 public:
  // Everything undefined, untouched.
  void reset(std::uint64_t bytes, std::uint32_t cell_bytes);

  std::vector<Byte> bytes;
  void note_read(std::uint64_t offset, std::uint32_t count, const Accessor& who);
  void note_write(std::uint64_t offset, std::uint32_t count, const Accessor& who);

 private:
  std::uint32_t cell = 16;
  std::vector<Cell> cells;
};

}  // namespace pageproof::machine
