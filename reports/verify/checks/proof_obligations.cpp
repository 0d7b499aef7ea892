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
struct Group {
  const char* name;
  const char* claim;
};
constexpr Group kGroups[] = {
    {"lemma", "a number has one quotient and one remainder: what every unfolding rests on"},
    {"format", "every page format of the catalogue is a bijection, for all H, N, D"},
    {"layout", "the six KV-cache layouts are bijections, for all L, B, H, N, C"},
    {"writer", "the writer's arithmetic is the digit order, for all H, N, D"},
    {"reader", "gather, ll4mi and gluon read where the writer wrote, for all H, N, D"},
    {"halves", "two landed halves are the remote page, and a half is never a side, for all H, N, D"},
    {"same", "which formats are the same bytes, and exactly when"},
    {"words", "no 64-bit offset wraps below 2^48 bytes, and the first block whose 32-bit offset does"},
    {"descriptors", "descriptors are disjoint, inside their region and cover the page"},
    {"staged", "pages staged one behind the other have one place each, inside their memory"},
    {"run_halves", "halves of runs of pages cover them, lie in their blocks and do not meet"},
    {"planner",
     "the arithmetic of the planner that ships: rows inside and apart, where the contracts want them, of "
     "whole "
     "heads"},
    {"checker",
     "a row that the checker of plans passes lies in its range, and rows that it passes do not meet"},
    {"negotiation",
     "accepting is being in the RFC's scope, every reason has its pair, and the bytes of accepted pairs land "
     "as the "
     "contract says"},
};

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
  std::size_t obligations = 0;
  for (const Group& group : kGroups) {
    for (const proof::ObligationResult& result : results_of(group.name, options)) {
      ++obligations;
      found.cases += result.mutants.size();
      std::ranges::copy_if(result.failures, std::back_inserter(found.failures),
                           [&](const Failure& failure) { return of_a_mutant(failure, result); });
    }
  }
  if (const std::size_t all = proof::all_obligations().size(); obligations != all) {
    found.failures.push_back({"proof.mutants", "every obligation stands in a row of the table", "",
                              fmt::format("{} obligations", all), std::to_string(obligations),
                              "pageproof verify proof.mutants"});
  }
  return found;
}

// Without the solver's program this row fails and says so: an absent second opinion is no opinion.
CheckResult second_opinion(const CheckOptions& options) {
  Results all;
  for (const Group& group : kGroups) {
    std::ranges::copy(results_of(group.name, options), std::back_inserter(all));
  }
  proof::RecheckResult second = proof::recheck(all, "cvc5", true, kThreads);
  return {.cases = second.rows.size(), .failures = std::move(second.failures), .skipped = {}};
}

// A row a group, and two for all of them.
std::vector<Check> rows() {
  std::vector<Check> all;
  for (const Group& group : kGroups) {
    all.push_back(
        {.name = fmt::format("proof.{}", group.name),
         .claim = group.claim,
         .run = [&group](const CheckOptions& options) { return prove_group(group.name, options); }});
  }
  all.push_back(
      {.name = "proof.mutants",
       .claim = "every mutant of an obligation is refuted by an example that replays with plain integers",
       .run = refute_mutants});
  all.push_back({.name = "proof.second_opinion",
                 .claim = "cvc5 confirms every step and settles as many queries as before",
                 .run = second_opinion});
  return all;
}

const RegisteredMany kRows(rows);

}  // namespace
}  // namespace pageproof::reports
