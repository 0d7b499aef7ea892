// The proofs for every shape, a row a group of obligations; their mutants; and the second solver.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "oracle/proof/recheck.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

using Results = std::vector<proof::ObligationResult>;

constexpr std::uint32_t kThreads = 2;
constexpr const char* kGroups[] = {"lemma",  "format", "layout", "writer",      "reader",
                                   "halves", "same",   "words",  "descriptors", "negotiation"};

// Each group is proved once for a seed, whichever rows ask.
const Results& results_of(const std::string& group, const CheckOptions& options) {
  static std::map<std::pair<std::string, std::uint64_t>, Results> known;
  const auto [entry, fresh] = known.try_emplace({group, options.seed});
  if (fresh) {
    const std::vector<std::string> names{group};
    entry->second = proof::run(*proof::select_obligations(names),
                               {.seed = static_cast<std::uint32_t>(options.seed), .threads = kThreads});
  }
  return entry->second;
}

bool of_a_mutant(const Failure& failure, const proof::ObligationResult& result) {
  return std::ranges::any_of(result.obligation.mutants,
                             [&](const proof::Mutant& mutant) { return mutant.name == failure.name; });
}

// Queries proved and assumptions that can hold; the mutants have a row of their own.
CheckResult prove_group(const std::string& group, const CheckOptions& options) {
  CheckResult found;
  for (const proof::ObligationResult& result : results_of(group, options)) {
    found.cases += result.queries.size();
    std::ranges::copy_if(result.failures, std::back_inserter(found.failures),
                         [&](const Failure& failure) { return !of_a_mutant(failure, result); });
  }
  return found;
}

CheckResult refute_mutants(const CheckOptions& options) {
  CheckResult found;
  for (const char* group : kGroups) {
    for (const proof::ObligationResult& result : results_of(group, options)) {
      found.cases += result.mutants.size();
      std::ranges::copy_if(result.failures, std::back_inserter(found.failures),
                           [&](const Failure& failure) { return of_a_mutant(failure, result); });
    }
  }
  return found;
}

// Without the solver's program this row fails and says so: an absent second opinion is no opinion.
CheckResult second_opinion(const CheckOptions& options) {
  Results all;
  for (const char* group : kGroups) std::ranges::copy(results_of(group, options), std::back_inserter(all));
  proof::RecheckResult second = proof::recheck(all, "cvc5", true, kThreads);
  return {.cases = second.rows.size(), .failures = std::move(second.failures), .skipped = {}};
}

Registered group_row(const char* group, const char* claim) {
  return Registered({.name = fmt::format("proof.{}", group),
                     .claim = claim,
                     .run = [group](const CheckOptions& options) { return prove_group(group, options); }});
}

const Registered kRows[] = {
    group_row("lemma", "a number has one quotient and one remainder: what every unfolding rests on"),
    group_row("format", "every page format of the catalogue is a bijection, for all H, N, D"),
    group_row("layout", "the six KV-cache layouts are bijections, for all L, B, H, N, C"),
    group_row("writer", "the writer's arithmetic is the digit order, for all H, N, D"),
    group_row("reader", "gather, ll4mi and gluon read where the writer wrote, for all H, N, D"),
    group_row("halves", "two landed halves are the remote page, and a half is never a side, for all H, N, D"),
    group_row("same", "which formats are the same bytes, and exactly when"),
    group_row("words",
              "no 64-bit offset wraps below 2^48 bytes, and the first block whose 32-bit offset does"),
    group_row("descriptors", "descriptors are disjoint, inside their region and cover the page"),
    group_row(
        "negotiation",
        "accepting is being in the RFC's scope, every reason has its pair, and the bytes of accepted pairs "
        "land as the contract says"),
    Registered(
        {.name = "proof.mutants",
         .claim = "every mutant of an obligation is refuted by an example that replays with plain integers",
         .run = refute_mutants}),
    Registered({.name = "proof.second_opinion",
                .claim = "cvc5 confirms every step and settles as many queries as before",
                .run = second_opinion}),
};

}  // namespace
}  // namespace pageproof::reports
