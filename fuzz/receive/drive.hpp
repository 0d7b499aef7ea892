// Runs of the simulated world: a seed decides who moves and which faults happen. A round is a number of
// requests from arrival to end; a violation comes with its records, reduced to the few that matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/receive/world.hpp"

namespace pageproof::fuzz_receive {

struct RoundOptions {
  WorldOptions world;
  std::uint64_t seed = 1;
  std::uint64_t requests = 1000;
  std::uint32_t faults = kAllFaults;
  bool records = true;  // false: none are kept. The seed makes them again
};

struct Round {
  std::uint64_t events = 0;  // steps of the model
  std::uint64_t pieces = 0;  // of READs and kernels
  std::uint64_t block_lives = 0;
  std::uint64_t compared_bytes = 0;
  std::uint64_t ended = 0;      // requests
  std::uint64_t scheduled = 0;  // times one was scheduled
  std::uint64_t stuck = 0;      // 1: nothing could happen before all requests had ended
  Tally tally;
  std::optional<Violation> violation;
  std::vector<Record> records;
};
Round run_round(const RoundOptions& options);
// The same with the records kept and a listener.
Round run_round(const RoundOptions& options, Listener listener);

// The shortest part of the records, taking out one request or one record at a time, that still breaks the
// same rule.
std::vector<Record> reduced(const WorldOptions& options, const Violation& violation,
                            std::vector<Record> records);

// The seed of a round of a campaign.
std::uint64_t seed_of_round(std::uint64_t seed, std::uint64_t round);

}  // namespace pageproof::fuzz_receive
