// A row for each property of fuzz: every case of its small domain, then random ones; and a row for their
// mutants.
#include "fuzz/campaign/campaign.hpp"
#include "fuzz/campaign/mutants.hpp"
#include "fuzz/campaign/run.hpp"
#include "fuzz/property/property.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

constexpr std::uint64_t kFullFactor = 10;

std::uint64_t random_cases(const fuzz::Property& property, const CheckOptions& options) {
  return property.quick_cases * (options.quick ? 1 : kFullFactor);
}

void add(CheckResult& result, const fuzz::Property& property, const fuzz::Tried& tried, std::uint64_t seed) {
  result.cases += tried.cases;
  if (!tried.found) return;
  result.failures.push_back(fuzz::keep(property, *tried.found, seed, 0, fuzz::kCasesFolder).failure);
}

CheckResult run_property(const fuzz::Property& property, const CheckOptions& options) {
  CheckResult result;
  const std::uint64_t steps = property.has_small ? 2 : 1;
  if (property.has_small) add(result, property, fuzz::run_small(property.run), options.seed);
  options.progress(steps - 1, steps);
  if (!result.failures.empty()) return result;
  const std::uint64_t seed = fuzz::round_seed(options.seed, 0, property.name);
  add(result, property, fuzz::run_random(property.run, seed, random_cases(property, options)), options.seed);
  options.progress(steps, steps);
  return result;
}

// A case is a mutant that was refuted.
CheckResult run_mutants(const CheckOptions& options) {
  CheckResult result;
  std::uint64_t done = 0;
  for (const fuzz::Property& property : fuzz::all_properties()) {
    if (property.mutants.empty()) {
      result.failures.push_back({"fuzz.mutants", "each property has a mutant", property.name, "a mutant",
                                 "none", "pageproof fuzz --list"});
    }
    for (const fuzz::Mutant& mutant : property.mutants) {
      const fuzz::MutantResult tried =
          fuzz::try_mutant(property, mutant, options.seed, random_cases(property, options));
      if (tried.problem) {
        result.failures.push_back(*tried.problem);
      } else {
        ++result.cases;
      }
    }
    options.progress(++done, fuzz::all_properties().size());
  }
  return result;
}

// Properties register themselves in object files whose order of initialisation is open, so the rows are made
// when they are first asked for.
const RegisteredMany kProperties([] {
  std::vector<Check> checks;
  for (const fuzz::Property& property : fuzz::all_properties()) {
    checks.push_back({"fuzz." + property.name, property.claim,
                      [&property](const CheckOptions& options) { return run_property(property, options); }});
  }
  checks.push_back({"fuzz.mutants",
                    "every mutant of a property is refuted by that property within its quick budget",
                    run_mutants});
  return checks;
});

}  // namespace
}  // namespace pageproof::reports
