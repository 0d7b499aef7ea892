// Is a plan safe to post? The rules hold for a plan of anybody's: rows alone, or rows and what they should
// carry. Bounds are taken by subtraction, for address + bytes may wrap 2^64 (NIXL's own `covers` adds).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/plan/region.hpp"

namespace pageproof::plan {

// Registered memory.
struct MemoryRange {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint64_t device = 0;
};

struct BlockPair {
  std::uint64_t local = 0;
  std::uint64_t remote = 0;
};

// What the rows of a split read carry: of each pair of blocks, each page whole, its first half in the local
// region 2l (the K plane), its second in region 2l + 1.
struct Halves {
  std::span<const Region> local;   // planes, two a layer
  std::span<const Region> remote;  // pages, one a layer
  std::span<const BlockPair> blocks;
};

struct CheckInput {
  std::span<const MemoryRange> local_memory;
  std::span<const MemoryRange> remote_memory;
  std::span<const Descriptor> local;  // paired by position
  std::span<const Descriptor> remote;
  std::optional<std::uint64_t> bytes;  // that the request has, all regions
  std::optional<Halves> halves;
};

enum class Rule : std::uint8_t {
  as_many_rows,        // both lists have one length
  lengths_equal,       // the rows of a pair have one length, which is positive
  ranges_disjoint,     // registered ranges of a device do not overlap (virtual halves are never registered)
  local_inside,        // a local row lies inside one registered range
  remote_inside,       // so does a remote row
  destinations_apart,  // no local byte is written twice
  bytes_total,         // as many bytes as the request has
  blocks_distinct,     // no local block stands twice
  halves_in_order,     // each byte lands where the contract says
  nothing_missing,     // every page whole
};
inline constexpr std::size_t kRules = 10;
const char* to_string(Rule rule);
const char* claim(Rule rule);  // in a sentence

struct Violation {
  Rule rule = Rule::as_many_rows;
  std::optional<std::size_t> row;  // the first row that breaks it
  std::string text;                // with the values
};

// The first violation in the order of the rules. O(n log n).
std::optional<Violation> check(const CheckInput& input);

}  // namespace pageproof::plan
