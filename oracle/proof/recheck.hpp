// A second opinion: the same scripts, run through another solver's program. It must confirm every step of
// every induction; elsewhere it may answer unknown, which is reported. An answer against Z3's fails, and so
// does a fall in the number of questions that it settles.
#pragma once

#include <filesystem>

#include "oracle/proof/run.hpp"

namespace pageproof::proof {

// Distinct questions (guards of assumptions left out) of all obligations that cvc5 1.0.3 settled when this
// was written, within its limit of 10 s each: `pageproof prove --recheck cvc5` fails below it. The only place
// that holds the number.
inline constexpr std::size_t kConfirmedByCvc5 = 930;

inline constexpr std::uint32_t kRecheckMilliseconds = 10'000;

struct RecheckRow {
  std::string name;  // the first query that asks this
  Part part = Part::whole;
  Answer z3 = Answer::unknown;
  Answer other = Answer::unknown;
  double seconds = 0;
};

struct RecheckResult {
  std::string solver;  // "cvc5 1.0.3"
  std::vector<RecheckRow> rows;
  std::size_t proved = 0;
  std::size_t refuted = 0;
  std::size_t unknown = 0;
  std::vector<Failure> failures;
};

// Asks `program` (found on PATH) every distinct question of the results. `all`: these are all obligations, so
// the count is compared too. A program that cannot be started is one failure that says so.
RecheckResult recheck(std::span<const ObligationResult> results, const std::string& program, bool all,
                      std::uint32_t threads);

// Writes each query as DIR/<obligation>/<query>.smt2, guards and mutants too; how many. Refused with the path
// that could not be written.
Expected<std::size_t> export_smtlib(std::span<const Obligation> obligations,
                                    const std::filesystem::path& directory);

}  // namespace pageproof::proof
