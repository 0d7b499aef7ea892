// Runs checks and shows what they found: a table for a person, a JSON document for a program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/verify/check.hpp"

namespace pageproof::reports {

// EMPTY: the check ran and had no case, which proves nothing. REFUTED and EMPTY fail the run; skipped does
// not, but is never shown as holding.
enum class Outcome : std::uint8_t { holds, refuted, empty, skipped };

struct Row {
  Check check;
  CheckResult result;
  Outcome outcome = Outcome::empty;
  double seconds = 0;
};

std::string to_string(Outcome outcome);

// The checks that the filters name: a name itself, or the names below it ("fuzz" takes "fuzz.mutants"). No
// filter takes all. Refused with the filter that names nothing.
Expected<std::vector<Check>> select_checks(std::span<const std::string> filters);

// Runs them one after another; `started` is told each check's name before it runs.
std::vector<Row> run_checks(std::span<const Check> checks, const CheckOptions& options,
                            const std::function<void(const Check&)>& started);

bool holds(std::span<const Row> rows);

std::string to_table(std::span<const Row> rows);
std::string to_json(std::span<const Row> rows, const CheckOptions& options);

}  // namespace pageproof::reports
