#include "oracle/proof/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "oracle/proof/counterexample.hpp"
#include "oracle/proof/jobs.hpp"

namespace pageproof::proof {
namespace {

// Equal bodies in one form are one question.
std::string question(const Query& query) {
  return (query.form == Form::named ? "named\n" : "polynomial\n") + body(query);
}

struct Asked {
  Query query;
  std::string question;
};

Failure query_failure(const Query& query, const Solved& solved, const std::string& obligation) {
  Failure failure = query_example(query, solved.model, obligation);
  if (query.expects_sat()) {
    failure.expected = "values that satisfy the assumptions";
    failure.got = "no such values: the proof would be empty";
  }
  if (solved.answer == Answer::unknown) failure.got = fmt::format("unknown: {}", solved.why);
  return failure;
}

Failure mutant_failure(const Mutant& mutant, const MutantResult& result, const std::string& obligation) {
  return {.name = mutant.name,
          .claim = mutant.claim,
          .example = "",
          .expected = "refuted, this is a mutant",
          .got = fmt::format("{} {}", to_string(result.verdict), result.why),
          .replay = fmt::format("pageproof prove {} --mutants", obligation)};
}

void judge(ObligationResult& result, std::span<const Asked> asked,
           const std::unordered_map<std::string, Solved>& solved,
           std::unordered_map<std::string, bool>& counted) {
  result.verdict = Verdict::proved;
  for (const Asked& one : asked) {
    const Solved& answer = solved.at(one.question);
    const bool first = !std::exchange(counted[one.question], true);
    const bool holds = answer.answer == (one.query.expects_sat() ? Answer::sat : Answer::unsat);
    result.queries.push_back({one.query.name, one.query.part, answer.answer, answer.resources,
                              first ? answer.seconds : 0.0, holds, holds ? Values{} : answer.model});
    if (first) result.seconds += answer.seconds;
    if (holds) continue;
    const bool unknown = answer.answer == Answer::unknown;
    if (result.verdict == Verdict::proved || !unknown) {
      result.verdict = unknown ? Verdict::unknown : Verdict::refuted;
    }
    result.failures.push_back(query_failure(one.query, answer, result.obligation.name));
  }
  for (std::size_t i = 0; i < result.mutants.size(); ++i) {
    const MutantResult& found = result.mutants[i];
    result.seconds += found.seconds;
    if (found.verdict == Verdict::refuted) continue;
    result.failures.push_back(mutant_failure(result.obligation.mutants[i], found, result.obligation.name));
  }
}

}  // namespace

std::vector<Query> with_guards(const Obligation& obligation) {
  std::vector<Query> queries;
  for (const Query& query : obligation.queries) {
    queries.push_back(query);
    if (!query.assumptions.empty()) queries.push_back(guard_of(query));
  }
  return queries;
}

std::vector<ObligationResult> run(std::vector<Obligation> obligations, const RunOptions& options) {
  std::vector<ObligationResult> results;
  std::vector<std::vector<Asked>> asked;
  std::unordered_map<std::string, Solved> solved;
  std::vector<std::function<void()>> jobs;
  for (Obligation& obligation : obligations) {
    std::vector<Asked>& mine = asked.emplace_back();
    if (!options.mutants_only) {
      for (Query& query : with_guards(obligation)) {
        std::string text = question(query);
        mine.push_back({std::move(query), std::move(text)});
      }
    }
    ObligationResult& result = results.emplace_back();
    result.obligation = std::move(obligation);
    result.mutants.resize(result.obligation.mutants.size());
  }
  // Mutants take longest: they go first. Results are written to places that no other job touches.
  for (ObligationResult& result : results) {
    for (std::size_t i = 0; i < result.mutants.size(); ++i) {
      jobs.emplace_back([&result, i, &options] {
        result.mutants[i] = refute(result.obligation.mutants[i], result.obligation.name, options.seed);
      });
    }
  }
  for (const std::vector<Asked>& mine : asked) {
    for (const Asked& one : mine) {
      const auto [entry, fresh] = solved.try_emplace(one.question);
      if (!fresh) continue;
      jobs.emplace_back([&place = entry->second, &one, &options] {
        place = solve(one.query, options.seed, options.resource_limit);
      });
    }
  }
  run_jobs(jobs, options.threads);
  std::unordered_map<std::string, bool> counted;
  for (std::size_t i = 0; i < results.size(); ++i) judge(results[i], asked[i], solved, counted);
  return results;
}

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved:
      return "proved";
    case Verdict::refuted:
      return "refuted";
    case Verdict::unknown:
      break;
  }
  return "unknown";
}

}  // namespace pageproof::proof
