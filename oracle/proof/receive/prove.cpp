#include "oracle/proof/receive/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include "oracle/proof/jobs.hpp"
#include "oracle/proof/receive/engines.hpp"

namespace pageproof::proof {
namespace {

namespace rx = pageproof::receive;
using receive_proof::FactRow;

constexpr std::uint32_t kSpacerWork = 4'000'000'000;  // Z3's own count
constexpr std::uint32_t kThreads = 2;
constexpr std::uint32_t kDeepest = 40;  // steps of a trace
constexpr const char* kNoNotice = "no_notice_no_lease";

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

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::string> lines_of(const rx::Found& found) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < found.moves.size(); ++i) {
    const rx::Move& move = found.moves[i];
    const rx::Life<int>& life = found.states[i].lives[move.who];
    lines.push_back(fmt::format("{:<40} {} reads {}/{} outstanding {}, layers {}/{} run {}, decode {}",
                                rx::to_string(move), rx::phase_name(life.phase), life.posted, life.reads,
                                life.outstanding, life.launched, found.states[i].given.layers, life.retired,
                                life.decode));
  }
  return lines;
}

ReceiveMutant tried(const std::string& name, std::string care, std::string source,
                    std::optional<rx::Rule> rule, const rx::Fault& fault, bool two) {
  const auto start = std::chrono::steady_clock::now();
  const rx::Searched searched = rx::search(rule, fault, two, kDeepest);
  ReceiveMutant mutant;
  mutant.name = name;
  mutant.care = std::move(care);
  mutant.source = std::move(source);
  mutant.caught = searched.found.has_value();
  if (searched.found) mutant.trace = lines_of(*searched.found);
  mutant.states = searched.states;
  mutant.seconds = since(start);
  return mutant;
}

ReceiveMutant without(rx::Guard guard, rx::Rule rule) {
  const rx::GuardRow& row = rx::row_of(guard);
  return tried(std::string(rx::to_string(guard)), std::string(row.care), std::string(row.source), rule,
               {guard, {}}, rx::needs_two(guard));
}

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

void prove_one(ReceiveObligation& obligation, std::uint32_t seed) {
  const auto start = std::chrono::steady_clock::now();
  if (obligation.name == kFacts) {
    judge(obligation, receive_proof::block_rows({}, seed));
  } else if (obligation.name == kEnds) {
    judge(obligation, receive_proof::rank_rows({}, seed));
  } else if (obligation.name == kExhaustive) {
    // No rule is broken, nothing is stuck, and every step does happen: no guard is so strict that a proof
    // would be about nothing.
    const rx::Searched all = rx::exhaust();
    if (all.found) {
      obligation.why = fmt::format("after {} steps", all.found->moves.size());
      for (const std::string& line : lines_of(*all.found)) obligation.why += "; " + line;
    }
    for (int step = 0; step < rx::kSteps; ++step) {
      const auto named = static_cast<rx::Step>(step);
      // The second freeing is what its guard is there to prevent.
      if (all.taken[static_cast<std::size_t>(step)] || named == rx::Step::notice_again) continue;
      obligation.why = fmt::format("{} never happens", rx::to_string(named));
    }
    obligation.queries = all.states;
    obligation.proved = obligation.why.empty();
    obligation.how = fmt::format("{} states", all.states);
  } else {
    for (int rule = 0; rule < rx::kRules; ++rule) {
      const auto one = static_cast<rx::Rule>(rule);
      if (rule_obligation(one) != obligation.name) continue;
      const receive_proof::Reached reached = receive_proof::spacer(one, {}, seed, kSpacerWork);
      obligation.proved = reached.answer == Answer::unsat;
      obligation.queries = reached.clauses;
      obligation.how = fmt::format("Spacer, {} clauses{}", reached.clauses, reached.facts ? ", facts" : "");
      if (!obligation.proved) obligation.why = fmt::format("{} {}", to_string(reached.answer), reached.why);
    }
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
  all.push_back({kFacts,
                 "what is written down of a life and of a block is kept by every step, and every rule "
                 "follows from it",
                 {}});
  all.push_back(
      {kEnds, "every request ends: each step lowers a rank, and before the end one can happen", {}});
  all.push_back({kExhaustive,
                 "all states of small requests: no rule broken, no dead end, every step happens somewhere",
                 {}});
  return all;
}

// An obligation and its mutants.
void settle(const Planned& one, const ReceiveRun& run, ReceiveObligation& result) {
  result.name = one.name;
  result.claim = one.claim;
  const std::string replay = fmt::format("pageproof receive prove {}", one.name);
  if (!run.mutants_only) {
    prove_one(result, run.seed);
    if (!result.proved) result.failures.push_back({one.name, one.claim, "", "proved", result.why, replay});
  }
  for (const rx::Guard guard : one.guards) result.mutants.push_back(without(guard, *one.rule));
  if (one.name == kEnds) {
    result.mutants.push_back(
        tried(kNoNotice, "an abort tells the prefill, or its lease runs out", "today's protocol", {},
              {rx::Guard::none, {rx::Step::tell_abort, rx::Step::lease_expires}}, false));
  }
  for (const ReceiveMutant& mutant : result.mutants) {
    result.seconds += mutant.seconds;
    if (mutant.caught) continue;
    result.failures.push_back({mutant.name, one.claim, fmt::format("without: {}", mutant.care),
                               "a trace into a broken rule", "none", replay});
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
           (filter == kNoNotice && one.name == kEnds) ||
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
  std::vector<ReceiveObligation> results(chosen.size());
  std::vector<std::function<void()>> jobs;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    jobs.emplace_back([&, i] { settle(chosen[i], run, results[i]); });
  }
  run_jobs(jobs, kThreads);
  return results;
}

}  // namespace pageproof::proof
