// What goes wrong in a run, and what has to come up in it: each counted where it happens in the world, not
// where it was decided on. A fault has something that covers it: a guard of the model, or a care of the wire
// or the prefill (a Flaw leaves that out).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/receive/names.hpp"

namespace pageproof::fuzz_receive {

enum class Fault : std::uint8_t {
  reordering,        // a handle was seen to end before one that was posted earlier
  delay,             // a READ was held back while others went on
  read_error,        // a handle broke while another one of the request went on
  partial_read,      // a READ broke after some of its bytes had been written
  post_error,        // the next handle could not be posted
  handshake_error,   // the handshake failed
  slow_handshake,    // a request came before or in the handshake, or before its callback had run
  rejected_pair,     // a request came for a pair that is refused
  worker_error,      // another worker failed
  abort,             // with blocks allocated
  preemption,        // a request had to go with steps to come or on the device
  lease_expiry,      // the prefill freed pages by its lease
  lost_notice,       // a notice did not arrive
  duplicate_notice,  // a notice arrived twice
  peer_death,        // a prefill died with READs on their way
  stale_metadata,    // a READ was posted to where the pages had been before
  slow_stream,       // a stream stood still with a kernel at its head
};
inline constexpr int kFaults = static_cast<int>(Fault::slow_stream) + 1;

// What no fault is, and has to come up all the same.
enum class Situation : std::uint8_t {
  partial_block,     // the last block of a prompt was allocated in part
  full_last_block,   // it was full
  prefix_hit,        // some blocks were here already
  full_prefix_hit,   // all of them
  shared_by_three,   // a block held by at least three requests
  block_reused,      // a block was given out with other bytes in it
  matching_pair,     // blocks used as they landed
  one_of_several,    // a READ broke while its request had others on their way
  recomputed,        // the prompt was computed here after a failure
  failed_request,    // a failure ended the request
  resumed,           // a preempted request came back
  torn_read,         // the prefill freed the pages between two pieces of a READ
  late_notice,       // a notice arrived after the lease had ended
  engine_forgotten,  // and has to be shaken hands with again
  other_handshake,   // with another engine, on the one thread for them
  loss_heard,        // a worker heard of an abort, or of another worker's failure
  appended,          // a decode step wrote a token into a partial block
};
inline constexpr int kSituations = static_cast<int>(Situation::appended) + 1;

struct Tally {
  std::array<std::uint64_t, kFaults> faults = {};
  std::array<std::uint64_t, kSituations> situations = {};

  void count(Fault fault) { ++faults[static_cast<std::size_t>(fault)]; }
  void count(Situation situation) { ++situations[static_cast<std::size_t>(situation)]; }
  std::uint64_t of(Fault fault) const { return faults[static_cast<std::size_t>(fault)]; }
  std::uint64_t of(Situation situation) const { return situations[static_cast<std::size_t>(situation)]; }
  Tally& operator+=(const Tally& other);
};

std::string_view to_string(Fault fault);
std::string_view to_string(Situation situation);
// visit(name, count) over an enum's counts.
template <class Of, class Counts, class Visit>
void visit_counts(Counts& counts, Visit&& visit) {
  for (std::size_t i = 0; i < counts.size(); ++i) visit(to_string(static_cast<Of>(i)), counts[i]);
}

std::uint32_t bit(Fault fault);
inline constexpr std::uint32_t kAllFaults = (1U << kFaults) - 1;
// "all", "none", or names. Refused: a name that is none.
Expected<std::uint32_t> parse_faults(const std::vector<std::string>& names);
std::string names_of_faults(std::uint32_t faults);  // as parse_faults takes them, with commas
// What a situation cannot come up without.
std::uint32_t needed_by(Situation situation);
bool needs_bytes(Situation situation);

// A care of the surroundings that is left out.
enum class Flaw : std::uint8_t {
  none,
  copy_converted,  // the kernels convert a copy of the pool that nobody reads
  key_unchecked,   // the wire reads where the pages were before
  lease_endless,   // the prefill waits for its notice for ever
};

// What covers a fault: without it the run breaks `breaks`, a rule's name, "bytes" or "ends".
struct Cover {
  Fault fault;
  receive::Guard guard = receive::Guard::none;
  Flaw flaw = Flaw::none;
  std::string_view breaks;
};
std::span<const Cover> cover_table();  // a row at least for every fault

}  // namespace pageproof::fuzz_receive
