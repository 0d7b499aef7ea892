#include "oracle/proof/receive/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "oracle/proof/jobs.hpp"
#include "oracle/proof/receive/engines.hpp"
#include "oracle/proof/receive/mutants.hpp"

namespace pageproof::proof {
namespace {

namespace rx = pageproof::receive;
using receive_proof::FactRow;
using receive_proof::lines_of;

constexpr std::uint32_t kSpacerWork = 4'000'000'000;  // Z3's own count
constexpr std::uint32_t kThreads = 2;

struct Planned {
  std::string name;
  std::string claim;
  std::vector<rx::Guard> guards;  // left out one at a time
  std::optional<rx::Rule> rule = {};
};

std::string rule_obligation(rx::Rule rule) {
  return fmt::format("receive.{}", rx::to_string(rule));
}
constexpr const char* kFacts = "receive.facts";
constexpr const char* kEnds = "receive.ends";
constexpr const char* kExhaustive = "receive.exhaustive";
constexpr const char* kExhaustiveTwo = "receive.exhaustive_two";

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The induction, asked once for all rules that rest on it.
class Facts {
 public:
  explicit Facts(std::uint32_t seed) : seed_(seed) {}
  std::uint32_t seed() const { return seed_; }
  const std::vector<FactRow>& rows() {
    std::call_once(asked_, [this] { rows_ = receive_proof::fact_rows(seed_); });
    return rows_;
  }

 private:
  std::uint32_t seed_;
  std::once_flag asked_;
  std::vector<FactRow> rows_;
};

void judge(ReceiveObligation& obligation, const std::vector<FactRow>& rows) {
  obligation.proved = !rows.empty();
  obligation.queries = rows.size();
  obligation.how = fmt::format("{} queries", rows.size());
  for (const FactRow& row : rows) {
    if (row.answer == Answer::unsat) continue;
    obligation.proved = false;
    obligation.why = fmt::format("{}: {}", row.name, to_string(row.answer));
  }
}

void visit(ReceiveObligation& obligation, bool two) {
  const receive_proof::Visited visited = receive_proof::visit_all_states(two, {});
  obligation.why = visited.wrong;
  if (visited.all.found) {
    obligation.why += fmt::format(" after {} steps", visited.all.found->moves.size());
    for (const std::string& line : lines_of(*visited.all.found)) obligation.why += "; " + line;
  }
  obligation.queries = visited.all.states;
  obligation.proved = visited.wrong.empty();
  obligation.how = fmt::format("{} states", visited.all.states);
}

// Spacer finds the invariant, or an induction over the written facts is enough.
void prove_rule(ReceiveObligation& obligation, rx::Rule rule, Facts& facts) {
  if (receive_proof::by_induction(rule)) {
    judge(obligation, facts.rows());
    const FactRow follows = receive_proof::rule_row(rule, facts.seed());
    obligation.how = fmt::format("induction over written facts, {} + 1 queries", obligation.queries);
    ++obligation.queries;
    if (follows.answer == Answer::unsat) return;
    obligation.proved = false;
    obligation.why = fmt::format("{}: {}", follows.name, to_string(follows.answer));
    return;
  }
  const receive_proof::Reached reached = receive_proof::spacer(rule, {}, facts.seed(), kSpacerWork);
  obligation.proved = reached.answer == Answer::unsat;
  obligation.queries = reached.clauses;
  obligation.how = fmt::format("Spacer, {} clauses, no fact given", reached.clauses);
  if (!obligation.proved) obligation.why = fmt::format("{} {}", to_string(reached.answer), reached.why);
}

void prove_one(ReceiveObligation& obligation, const Planned& one, Facts& facts) {
  const auto start = std::chrono::steady_clock::now();
  if (obligation.name == kFacts) {
    judge(obligation, facts.rows());
  } else if (obligation.name == kEnds) {
    std::vector<FactRow> rows = receive_proof::rank_rows(facts.seed());
    const std::size_t of_rank = rows.size();
    rows.insert(rows.end(), facts.rows().begin(), facts.rows().end());
    judge(obligation, rows);
    obligation.how = fmt::format("a rank over written facts, {} + {} queries", facts.rows().size(), of_rank);
  } else if (one.rule) {
    prove_rule(obligation, *one.rule, facts);
  } else {
    visit(obligation, obligation.name == kExhaustiveTwo);
  }
  obligation.seconds = since(start);
}

std::vector<Planned> planned() {
  std::vector<Planned> all;
  for (int rule = 0; rule < rx::kRules; ++rule) {
    const auto one = static_cast<rx::Rule>(rule);
    Planned obligation{rule_obligation(one), std::string(rx::claim_of(one)), {}, one};
    for (const rx::GuardRow& row : rx::guard_table()) {
      if (row.breaks == one) obligation.guards.push_back(row.guard);
    }
    // What the device reads, where the guard is about what the host schedules.
    if (one == rx::Rule::unconverted_decoded) obligation.guards.push_back(rx::Guard::event_completed);
    all.push_back(std::move(obligation));
  }
  all.push_back(
      {kFacts,
       "what is written down of a life, its engine and a block holds at the start and is kept by every "
       "step of two requests, to one engine or to one each",
       {}});
  all.push_back(
      {kEnds,
       "every request ends, if reads, kernels, handshakes and other workers do: a rank that every promised "
       "step lowers, and such a step before the end",
       {}});
  all.push_back({kExhaustive,
                 "all states of one small request: no rule broken, no dead end, every step happens somewhere",
                 {}});
  all.push_back({kExhaustiveTwo,
                 "all states of two small requests that want the same block: no rule broken, no dead end",
                 {}});
  return all;
}

// The mutants of what is no rule, by name: each is made when it is asked for.
using Made = std::function<ReceiveMutant(const ReceiveRun&)>;
std::vector<std::pair<std::string_view, Made>> further_mutants(const std::string& obligation) {
  std::vector<std::pair<std::string_view, Made>> all;
  if (obligation == kEnds) {
    for (const rx::EndingRow& row : rx::ending_table()) {
      all.emplace_back(row.name, [&row](const ReceiveRun& run) { return receive_proof::never(row, run); });
    }
  }
  if (obligation == kFacts) {
    for (const auto& row : receive_proof::false_fact_table()) {
      all.emplace_back(row.name, [&row](const ReceiveRun& run) { return receive_proof::believed(row, run); });
    }
  }
  for (const auto& row : receive_proof::visit_table()) {
    if (obligation != (row.two ? kExhaustiveTwo : kExhaustive)) continue;
    all.emplace_back(row.name, [&row](const ReceiveRun&) { return receive_proof::visited(row); });
  }
  return all;
}

// An obligation and its mutants.
void settle(const Planned& one, const ReceiveRun& run, Facts& facts, ReceiveObligation& result) {
  result.name = one.name;
  result.claim = one.claim;
  const std::string replay = fmt::format("pageproof receive prove {}", one.name);
  if (!run.mutants_only) {
    prove_one(result, one, facts);
    if (!result.proved) result.failures.push_back({one.name, one.claim, "", "proved", result.why, replay});
  }
  for (const rx::Guard guard : one.guards) {
    result.mutants.push_back(receive_proof::without(guard, *one.rule, run));
  }
  for (const auto& [name, make] : further_mutants(one.name)) result.mutants.push_back(make(run));
  for (const ReceiveMutant& mutant : result.mutants) {
    result.seconds += mutant.seconds;
    if (mutant.caught) continue;
    result.failures.push_back(
        {mutant.name, one.claim, fmt::format("without: {}", mutant.care), "a trace, and a proof that fails",
         fmt::format("{} of {} steps; {}", mutant.trace.empty() ? "no trace" : "a trace", mutant.trace.size(),
                     mutant.proof),
         replay});
  }
}

}  // namespace

std::vector<std::string> receive_obligation_names() {
  std::vector<std::string> names;
  for (const Planned& one : planned()) names.push_back(one.name);
  return names;
}

Expected<std::vector<ReceiveObligation>> prove_receive(const std::vector<std::string>& names,
                                                       const ReceiveRun& run) {
  const auto takes = [](const std::string& filter, const Planned& one) {
    return one.name == filter || one.name == "receive." + filter ||
           std::ranges::any_of(further_mutants(one.name),
                               [&](const auto& further) { return further.first == filter; }) ||
           std::ranges::any_of(one.guards, [&](rx::Guard guard) { return rx::to_string(guard) == filter; });
  };
  const std::vector<Planned> all = planned();
  for (const std::string& name : names) {
    if (std::ranges::any_of(all, [&](const Planned& one) { return takes(name, one); })) continue;
    return std::unexpected(Error{"receive prove", "name", name, "neither an obligation nor a guard"});
  }
  std::vector<Planned> chosen;
  for (const Planned& one : all) {
    const bool named = std::ranges::any_of(names, [&](const std::string& name) { return takes(name, one); });
    if (names.empty() || named) chosen.push_back(one);
  }
  Facts facts(run.seed);
  std::vector<ReceiveObligation> results(chosen.size());
  std::vector<std::function<void()>> jobs;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    jobs.emplace_back([&, i] { settle(chosen[i], run, facts, results[i]); });
  }
  run_jobs(jobs, kThreads);
  return results;
}

}  // namespace pageproof::proof
