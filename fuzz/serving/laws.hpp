// What every simulated run obeys, whatever its numbers: each law is worked out anew from the records of a
// run, by arithmetic that the simulation does not share. A law is tried on scenarios from a seeded generator;
// a fault that is built into the simulation must break the law that is named for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/failure.hpp"
#include "model/serving/runs.hpp"

namespace pageproof::fuzz_serving {

// A deployment, a setup and a load, drawn small: tens of requests of tens of tokens, everything that can bind
// binding in some.
struct Scenario {
  std::uint64_t seed = 0;
  serving::Cell cell;
  serving::SimulationOptions options;
};
Scenario scenario_of(std::uint64_t seed);
std::string to_string(const Scenario& scenario);  // one line

// Nothing: the law holds of this run. Else what was expected, and what came.
struct Violation {
  std::string expected;
  std::string got;
};

struct Law {
  std::string_view name;
  std::string_view claim;
  std::optional<Violation> (*broken)(const Scenario& scenario, const serving::Simulation& run);
};
std::span<const Law> laws();

struct Mutant {
  serving::Fault fault;
  std::string_view name;
  std::string_view law;  // that it breaks
};
std::span<const Mutant> mutants();

struct Tried {
  std::uint64_t runs = 0;
  std::uint64_t held = 0;  // laws that were asked and held
  std::vector<Failure> failures;
};
// Every law on `scenarios` scenarios from this seed on. Stops after ten failures.
Tried try_laws(std::uint64_t seed, std::uint64_t scenarios);

// The first scenario of at most `scenarios` on which the law of the mutant breaks; nothing: it was not
// caught.
struct Caught {
  std::uint64_t scenarios = 0;
  Violation violation;
  Scenario scenario;
};
std::optional<Caught> catch_mutant(const Mutant& mutant, std::uint64_t seed, std::uint64_t scenarios);

}  // namespace pageproof::fuzz_serving
