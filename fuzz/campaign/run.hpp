// Runs a property on many cases: at random under RapidCheck, which shrinks a failing case to a small one, or
// on every case of its small domain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fuzz/property/property.hpp"

namespace pageproof::fuzz {

// A failing case, as small as was found.
struct Found {
  Domain domain = Domain::wide;
  std::vector<std::uint64_t> choices;
  Failure failure;
};

struct Tried {
  std::uint64_t cases = 0;  // until the first failing one, shrinking not counted
  std::optional<Found> found;
};

// The same cases for the same seed.
Tried run_random(const RunCase& run, std::uint64_t seed, std::uint64_t cases);

Tried run_small(const RunCase& run);

}  // namespace pageproof::fuzz
