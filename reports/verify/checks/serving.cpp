// Simulated benchmarks: laws of every run on drawn scenarios, and faults built into the simulation that they
// notice.
#include <fmt/format.h>

#include "fuzz/serving/laws.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

constexpr std::uint64_t kMutantScenarios = 300;

CheckResult run_serving_laws(const CheckOptions& options) {
  auto tried = fuzz_serving::try_laws(options.seed, options.quick ? 500 : 5000);
  return {.cases = tried.held, .failures = std::move(tried.failures), .skipped = {}};
}

CheckResult run_serving_mutants(const CheckOptions& options) {
  CheckResult result;
  for (const fuzz_serving::Mutant& mutant : fuzz_serving::mutants()) {
    if (fuzz_serving::catch_mutant(mutant, options.seed, kMutantScenarios)) {
      ++result.cases;
      continue;
    }
    result.failures.push_back({"serving.mutants", "a fault in the simulation breaks the law named for it",
                               std::string(mutant.name), fmt::format("{} is broken", mutant.law),
                               fmt::format("held on {} scenarios", kMutantScenarios),
                               "pageproof verify serving.mutants"});
  }
  return result;
}

const Registered kServingLaws(
    {.name = "serving.laws",
     .claim = "a simulated benchmark keeps order and conservation, and its steps, reads, "
              "conversions and waits last what they should",
     .run = run_serving_laws});
const Registered kServingMutants(
    {.name = "serving.mutants",
     .claim = "a fault built into the simulation breaks the law that is named for it",
     .run = run_serving_mutants});

}  // namespace
}  // namespace pageproof::reports
