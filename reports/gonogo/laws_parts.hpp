// The laws, by what they are about: each adds its cases and its first failure.
#pragma once

#include <random>

#include "reports/gonogo/laws.hpp"

namespace pageproof::gonogo {

struct LawRun {
  const Terms& terms;
  std::mt19937_64 random;
  std::uint64_t cases = 0;  // a law
  LawResult result = {};

  // Counts a case; where it does not hold, keeps the first failure of the law.
  void expect(const std::string& law, const std::string& claim, bool holds, const std::string& example,
              const std::string& expected, const std::string& got);
};

void comparison_laws(LawRun& run);   // gain, ranges, WIN, LOSS, TIE
void rule_laws(LawRun& run);         // equal TTFT, guard, rules A and B, cells together
void measurement_laws(LawRun& run);  // whole measurements: which verdict

}  // namespace pageproof::gonogo
