// The go/no-go's rules: their laws on random repeats and small measurements, and every rule replaced by a
// fault.
#include <fmt/format.h>

#include "reports/gonogo/laws.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

constexpr std::uint64_t kFaultCases = 500;

CheckResult run_rules(const CheckOptions& options) {
  const gonogo::LawResult found =
      gonogo::check_laws(gonogo::kLaw, options.seed, options.quick ? 2'000 : 50'000);
  return {.cases = found.cases, .failures = found.failures, .skipped = {}};
}

CheckResult run_faults(const CheckOptions& options) {
  CheckResult result;
  for (const gonogo::Fault& fault : gonogo::faults()) {
    if (!gonogo::check_laws(fault.terms, options.seed, kFaultCases).failures.empty()) {
      ++result.cases;
      continue;
    }
    result.failures.push_back({"gonogo.mutants", "a fault in a rule breaks a law",
                               fmt::format("{}: {}", fault.name, fault.meaning), "a law that fails", "none",
                               "pageproof verify gonogo.mutants"});
  }
  return result;
}

const Registered kRules(
    {.name = "gonogo.rules",
     .claim = "WIN, LOSS and TIE, equal TTFT, the guard, rules A and B, and the verdict over "
              "cells are what whole numbers, tables of truth and measurements made by hand say",
     .run = run_rules});
const Registered kFaults(
    {.name = "gonogo.mutants",
     .claim = "every term of the go/no-go's rules, replaced by a fault, breaks one of their laws",
     .run = run_faults});

}  // namespace
}  // namespace pageproof::reports
