// A request planned whole: every source rank's read in one of the five ways, each checked before it is handed
// out; and the choice between the ways, by what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/plan/check.hpp"
#include "kernels/plan/pair.hpp"
#include "kernels/plan/strategy.hpp"

namespace pageproof::plan {

// A remote rank that is read.
struct Source {
  std::uint64_t rank = 0;
  Side side;
  Slice slice;
  std::vector<MemoryRange> memory;  // registered
};

// What the pages of the two sides are to each other.
enum class Pages : std::uint8_t {
  same,        // one format: bytes are copied
  two_slots,   // one format that keeps K and V in two slots of a page
  for_planes,  // standard pages for a decoder's K and V planes: converted after the read
};

struct Request {
  Side local;
  std::vector<MemoryRange> memory;
  std::vector<Source> sources;
  PairedBlocks blocks;
  Pages pages = Pages::same;
};

struct Plan {
  Strategy strategy = Strategy::whole;
  std::vector<Read> reads;  // one a source
  Cost cost;                // of all reads
};

// Registered memory where nothing better is known: each region's bytes, joined where they touch or overlap.
std::vector<MemoryRange> memory_of(const Side& side);

// Refused: what the strategy's read refuses; a list that no region serves, a region whose list is not there;
// more than one group for a strategy that converts; staging memory
// that overlaps registered memory.
Expected<Plan> plan(const Request& request, Strategy strategy, const Staging& staging,
                    const CostModel& model);

// Empty: every rule holds. @pre made by plan() of the same arguments, or meant to be
std::optional<Violation> check(const Request& request, const Plan& plan, const Staging& staging);

// The rows of a read in pairing order.
struct Rows {
  std::vector<Descriptor> local;
  std::vector<Descriptor> remote;
};
Rows rows_of(const Read& read);

struct Option {
  Strategy strategy = Strategy::whole;
  std::optional<Plan> plan;
  std::string not_chosen;           // why it cannot be the choice; empty where it can
  std::optional<Error> error = {};  // where it cannot even be planned
};
struct Choice {
  std::vector<Option> options;        // in the order of kStrategies
  std::optional<std::size_t> chosen;  // of options
  std::string because;
};

// Every strategy that fits the pages, and the cheapest that can be used: `slots` where TP is unequal and
// pages have two slots (whole would cut K from V, not heads), `staged` only with memory for it, `run halves`
// never, for no converter reads its landing; nothing that the converter refuses for its size or alignment.
Choice choose(const Request& request, const std::optional<Staging>& staging, const CostModel& model);

}  // namespace pageproof::plan
