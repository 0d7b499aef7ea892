// A property that refutes nothing is a defect: each mutant must be refuted within a number of random cases,
// and the property itself must hold for the very case that refuted the mutant.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fuzz/property/property.hpp"

namespace pageproof::fuzz {

struct MutantResult {
  std::string property;
  std::string mutant;
  std::uint64_t cases = 0;         // until it was refuted
  std::optional<Failure> refuted;  // what refuted it
  std::optional<Failure> problem;  // why the property is not to be trusted; empty when all is well
};

MutantResult try_mutant(const Property& property, const Mutant& mutant, std::uint64_t seed,
                        std::uint64_t cases);

}  // namespace pageproof::fuzz
