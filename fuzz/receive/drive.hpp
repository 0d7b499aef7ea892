// Runs of the simulated world: a seed decides who takes which step and which faults happen. A round is a
// number of requests from arrival to end; a violation comes with its records, reduced to the few that matter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/receive/world.hpp"

namespace pageproof::fuzz_receive {

enum class Fault : std::uint8_t {
  reordering,  // handles end in any order, else in the order in which they were posted
  delay,       // a read stays on its way while others end
  read_error,  // of one handle
  post_error,  // the next handle cannot be posted
  handshake_error,
  slow_handshake,  // requests arrive before, in and behind the handshake
  rejected_pair,
  worker_error,  // another worker fails
  abort,
  preemption,  // a request is ended while its last step runs
  lease_expiry,
  lost_notice,  // the lease frees the pages then
  duplicate_notice,
  peer_death,      // every read on its way fails, the pages are gone
  stale_metadata,  // the engine is forgotten as soon as nothing needs it
};
inline constexpr int kFaults = static_cast<int>(Fault::stale_metadata) + 1;
std::string_view to_string(Fault fault);
std::uint32_t bit(Fault fault);
inline constexpr std::uint32_t kAllFaults = (1U << kFaults) - 1;
// "all", "none", or names. Refused: a name that is none.
Expected<std::uint32_t> parse_faults(const std::vector<std::string>& names);
std::string names_of_faults(std::uint32_t faults);  // as parse_faults takes them, with commas

struct RoundOptions {
  WorldOptions world;
  std::uint64_t seed = 1;
  std::uint64_t requests = 1000;
  std::uint32_t faults = kAllFaults;
};

struct Round {
  std::uint64_t events = 0;
  std::uint64_t block_lives = 0;
  std::uint64_t compared_bytes = 0;
  std::uint64_t ended = 0;      // requests
  std::uint64_t scheduled = 0;  // of these, were scheduled at least once
  std::uint64_t stuck = 0;      // 1: nothing could happen before all requests had ended
  std::vector<std::uint64_t> faults = std::vector<std::uint64_t>(kFaults);  // times each happened
  std::optional<Violation> violation;
  std::vector<Record> records;
};
Round run_round(const RoundOptions& options);

// The shortest part of the records, taking out one request or one record at a time, that still breaks the
// same rule.
std::vector<Record> reduced(const WorldOptions& options, const Violation& violation,
                            std::vector<Record> records);
// "request 3 allocate own 4,7"
std::string to_string(const Record& record);

// The seed of a round of a campaign.
std::uint64_t seed_of_round(std::uint64_t seed, std::uint64_t round);

}  // namespace pageproof::fuzz_receive
