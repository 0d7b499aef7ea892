// Is a plan safe to post, and does it move what it should? The rules hold for a plan of anybody's: rows
// alone, or rows and what they should move. Bounds are taken by subtraction, for address + bytes may wrap
// 2^64 (NIXL's own `covers` adds).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/plan/blocks.hpp"
#include "kernels/plan/region.hpp"

namespace pageproof::plan {

// Registered memory. One of no bytes counts as not there.
struct MemoryRange {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint64_t device = 0;
};

// What the rows should move (wanted.hpp), whichever way they cut it.
struct Wanted {
  std::span<const Descriptor> local;
  std::span<const Descriptor> remote;
};

struct CheckInput {
  std::span<const MemoryRange> local_memory;
  std::span<const MemoryRange> remote_memory;
  std::span<const Descriptor> local;  // paired by position
  std::span<const Descriptor> remote;
  std::optional<std::uint64_t> bytes = {};    // that the request has, all regions
  const BlockGroups* local_blocks = nullptr;  // of the request, or its sub-blocks; may be absent
  std::optional<Wanted> wanted = {};
};

enum class Rule : std::uint8_t {
  as_many_rows,        // both lists have one length
  lengths_equal,       // the rows of a pair have one length, which is positive
  ranges_disjoint,     // registered ranges end by 2^64, and those of a device do not overlap (virtual halves
                       // are never registered)
  local_inside,        // a local row lies inside one registered range
  remote_inside,       // so does a remote row
  destinations_apart,  // no local byte is written twice
  bytes_total,         // as many bytes as the request has
  blocks_distinct,     // no local block stands twice
  request_only,        // no byte outside the request's blocks is written
  right_source,        // each byte takes the remote byte that belongs there: halves in order
  nothing_missing,     // every byte of the request's blocks is written
};
inline constexpr std::size_t kRules = 11;
const char* to_string(Rule rule);
const char* claim(Rule rule);  // in a sentence

struct Violation {
  Rule rule = Rule::as_many_rows;
  std::optional<std::size_t> row;  // the first row that breaks it
  std::string text;                // with the values
};

// The first violation in the order of the rules; of the last three, by local address. O(n log n).
// @pre wanted: as many local as remote rows, pairwise of one length, destinations apart
std::optional<Violation> check(const CheckInput& input);

}  // namespace pageproof::plan
