// plans_v1.json as values: what two engines registered, a request's blocks, and the descriptors, ids, posted
// transfers and bytes that a read of them has; or the field for which it is refused.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pageproof::golden::plans {

inline constexpr const char* kPlansFile = "plans_v1.json";
inline constexpr const char* kPlansSchema = "schema/plans_v1_schema.json";

struct Region {
  std::uint64_t base = 0;
  std::uint64_t block_len = 0;
  std::uint64_t block_stride = 0;
  std::uint64_t num_blocks = 0;
  std::int64_t group = 0;  // -1: shared
  bool replicated = false;
};

struct Slice {
  std::uint64_t ratio = 1;
  std::uint64_t sources = 1;
  std::uint64_t slot = 0;
  std::uint64_t shares = 1;
  std::uint64_t rank_offset_factor = 0;
};

// What one rank registered.
struct Registered {
  std::uint64_t device = 0;
  std::vector<Region> regions;
};

using Row = std::array<std::uint64_t, 3>;  // address, bytes, device
using Ids = std::vector<std::uint64_t>;

// One source rank: what is read of it, and what a plan must say.
struct Source {
  std::uint64_t rank = 0;
  Registered side;
  Slice slice;
  // expected
  Ids local_ids;
  Ids remote_ids;
  std::vector<Row> local_rows;  // in pairing order
  std::vector<Row> remote_rows;
  std::vector<Row> posted;  // position, pairs, bytes
};

struct Staging {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
};

struct Test {
  std::uint64_t tc_id = 0;
  std::string comment;
  std::vector<std::string> flags;
  std::string strategy;  // whole, slots, halves, staged, run-halves
  Registered local;
  std::uint64_t local_per_logical = 1;
  std::uint64_t remote_per_logical = 1;
  std::vector<Ids> local_blocks;  // manager blocks, a list a transfer group
  std::vector<Ids> remote_blocks;
  Staging staging;
  std::vector<Source> sources;
  std::string content_sha256;  // of all bytes that are written, in the order of their local addresses
  bool valid = true;
  std::string field;  // of the error, where it is not; its subject, where it has no field
};

struct Note {
  std::string description;
  std::string effect;
};

struct Suite {
  std::vector<std::string> header;
  std::map<std::string, Note> notes;
  std::vector<Test> tests;
};

// What the remote byte at this address of this rank holds.
constexpr std::uint8_t content_of(std::uint64_t rank, std::uint64_t address) {
  return static_cast<std::uint8_t>(address + (address >> 8) * 3 + (address >> 16) * 7 + rank * 91);
}

}  // namespace pageproof::golden::plans
