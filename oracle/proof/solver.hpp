// The one place that knows Z3. A verdict depends on the text, the seed and the budget alone: the budget is
// Z3's own count of work, never a clock.
#pragma once

#include <cstdint>

#include "oracle/proof/query.hpp"

namespace pageproof::proof {

// Work that one query may take. The largest need measured is far below (`pageproof prove --json` shows each).
inline constexpr std::uint32_t kResourceLimit = 20'000'000;

enum class Answer : std::uint8_t { unsat, sat, unknown };

struct Solved {
  Answer answer = Answer::unknown;
  Values model;                 // where sat: the variables' values
  std::uint64_t resources = 0;  // Z3's count of work
  double seconds = 0;
  std::string why;  // where unknown
};

// What a query is for: a verdict; or one of many small steps of a search, where the core solver alone,
// without the strategies around it, takes a third of the time. An answer means the same.
enum class Effort : std::uint8_t { verdict, search };

// Safe to call from several threads: every call has a context of its own.
Solved solve(const Query& query, std::uint32_t seed, std::uint32_t resource_limit = kResourceLimit,
             Effort effort = Effort::verdict);

std::string solver_version();

std::string to_string(Answer answer);

}  // namespace pageproof::proof
