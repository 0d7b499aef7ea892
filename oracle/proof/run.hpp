// Discharges obligations: every query once, on as many threads as asked, and every mutant down to its
// smallest example. What is not answered as expected fails; so does `unknown`, and so does a proof whose
// assumptions cannot hold.
#pragma once

#include "model/page/plain/failure.hpp"
#include "oracle/proof/obligation.hpp"
#include "oracle/proof/solver.hpp"

namespace pageproof::proof {

struct RunOptions {
  std::uint32_t seed = 0;
  std::uint32_t threads = 2;
  bool mutants_only = false;
  std::uint32_t resource_limit = kResourceLimit;  // of a query; a smaller one is for tests
};

enum class Verdict : std::uint8_t { proved, refuted, unknown };

struct QueryResult {
  std::string name;
  Part part = Part::whole;
  Answer answer = Answer::unknown;
  std::uint64_t resources = 0;
  double seconds = 0;  // 0 where the same question was answered under another name
  bool holds = false;
  Values values = {};  // where refuted: its variables
};

struct MutantResult {
  std::string name;
  Verdict verdict = Verdict::unknown;
  Failure failure;  // where refuted: the smallest example
  Values values;    // its variables
  double seconds = 0;
  std::string why;  // where it was not refuted, or the example did not replay
};

struct ObligationResult {
  Obligation obligation;
  Verdict verdict = Verdict::unknown;  // proved: every query proved, every guard shown
  std::vector<QueryResult> queries;    // with the guards
  std::vector<MutantResult> mutants;
  std::vector<Failure> failures;
  double seconds = 0;

  bool holds() const { return failures.empty(); }
};

// The queries of an obligation with a guard for each set of assumptions.
std::vector<Query> with_guards(const Obligation& obligation);

std::vector<ObligationResult> run(std::vector<Obligation> obligations, const RunOptions& options);

std::string to_string(Verdict verdict);

}  // namespace pageproof::proof
