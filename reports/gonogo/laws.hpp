// What must be true of the rules, tried on seeded random repeats and on small measurements made by hand; and
// the faults that the laws must notice. The laws restate the rules in another way: ranges by all pairs of
// repeats, shares by whole numbers, rules as tables of truth. A law that no fault breaks, or a fault that no
// law notices, is a defect of this file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/page/plain/failure.hpp"
#include "reports/gonogo/rule.hpp"

namespace pageproof::gonogo {

struct LawResult {
  std::uint64_t cases = 0;
  std::vector<Failure> failures = {};  // the first of each law
};

// All laws under these terms; `cases` random ones a law.
LawResult check_laws(const Terms& terms, std::uint64_t seed, std::uint64_t cases);

// One term of the rules replaced.
struct Fault {
  std::string name = {};
  std::string meaning = {};
  Terms terms = {};
};
std::span<const Fault> faults();

}  // namespace pageproof::gonogo
