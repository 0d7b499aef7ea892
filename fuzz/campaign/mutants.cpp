#include "fuzz/campaign/mutants.hpp"

#include <fmt/format.h>

#include "fuzz/campaign/shard.hpp"

namespace pageproof::fuzz {

MutantResult try_mutant(const Property& property, const Mutant& mutant, std::uint64_t seed,
                        std::uint64_t cases) {
  MutantResult result{property.name, mutant.name, 0, {}, {}};
  const auto problem = [&](const std::string& expected, const std::string& got) {
    result.problem =
        Failure{"fuzz.mutants",
                "each mutant of a property is refuted by it, and by no other claim",
                fmt::format("property={} mutant={} ({})", property.name, mutant.name, mutant.fault),
                expected,
                got,
                fmt::format("pageproof verify fuzz.mutants")};
    return result;
  };
  for (std::uint64_t i = 0; i < cases && !result.refuted; ++i) {
    Choices choices(seeded(round_seed(seed, i, property.name)));
    ++result.cases;
    result.refuted = mutant.run(choices, Domain::wide);
    if (!result.refuted) continue;
    if (result.refuted->name != property.name) {
      return problem("refuted as " + property.name, "refuted as " + result.refuted->name);
    }
    Choices again(recorded(choices.made()));
    if (const auto failure = property.run(again, Domain::wide)) {
      return problem("the property holds without the fault", "refuted: " + failure->example);
    }
  }
  if (!result.refuted) return problem(fmt::format("refuted within {} cases", cases), "holds");
  return result;
}

}  // namespace pageproof::fuzz
