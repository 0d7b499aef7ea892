// From the pairs that are accepted and wrong to their causes: conjunctions of conditions, each true of no
// pair that is accepted and right, together true of every one that is wrong; as few conditions in all as a
// greedy cover finds, none of them superfluous. Deterministic: ties go to fewer, then to plainer conditions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reports/silent/features.hpp"

namespace pageproof::silent {

// Accepted pairs that look alike.
struct Seen {
  Features features = {};
  std::uint64_t right = 0;
  std::uint64_t wrong = 0;
};

struct Cause {
  std::vector<std::size_t> conditions = {};  // indices into conditions(), ascending
  std::uint64_t pairs = 0;                   // wrong pairs that it covers
  std::uint64_t alone = 0;                   // of them those that no other cause covers
  std::size_t example = 0;  // index into `seen`: the plainest that no other cause covers, if there is one
};

struct Cover {
  std::vector<Cause> causes = {};  // by pairs, most first
  std::uint64_t inseparable = 0;   // wrong pairs that look exactly like right ones: the fields do not tell
  std::uint64_t uncovered = 0;     // wrong pairs for which kMostConditions were not enough
};

inline constexpr std::size_t kMostConditions = 4;

// `given`: the conditions that may be used.
Cover causes_of(std::span<const Seen> seen, std::span<const Condition> given);

}  // namespace pageproof::silent
