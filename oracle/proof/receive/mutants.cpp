#include "oracle/proof/receive/mutants.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <string_view>

#include "oracle/proof/receive/engines.hpp"

namespace pageproof::proof::receive_proof {

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

namespace {

constexpr std::uint32_t kDeepest = 40;                    // steps of a trace
constexpr std::uint32_t kSpacerWorkOfMutant = 3'000'000;  // Z3's own count

ReceiveMutant tried(std::string_view name, std::string_view care, std::string_view source,
                    const std::function<rx::Searched()>& search) {
  const auto start = std::chrono::steady_clock::now();
  const rx::Searched searched = search();
  ReceiveMutant mutant;
  mutant.name = name;
  mutant.care = care;
  mutant.source = source;
  mutant.caught = searched.found.has_value();
  if (searched.found) mutant.trace = lines_of(*searched.found);
  mutant.states = searched.states;
  mutant.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return mutant;
}

// The first step that does not keep the facts.
bool induction_fails(ReceiveMutant& mutant, rx::Guard guard, std::uint32_t seed) {
  const auto step = broken_step(guard, seed);
  if (!mutant.proof.empty()) mutant.proof += "; ";
  mutant.proof += step ? "the induction fails: " + step->name : "the induction holds all the same";
  return step.has_value();
}

// The proof of the rule has to fail, too. Spacer begins where the trace does, with so much
// work; where it is not through by then, the induction has to fail.
void fails_to_prove(ReceiveMutant& mutant, rx::Guard guard, rx::Rule rule, const rx::System& from,
                    std::uint32_t seed) {
  const auto start = std::chrono::steady_clock::now();
  bool fails = false;
  if (!by_induction(rule)) {
    const Reached reached = spacer(rule, {guard, {}}, seed, kSpacerWorkOfMutant, &from);
    fails = reached.answer == Answer::sat;
    mutant.proof = reached.answer == Answer::sat     ? "Spacer refutes it"
                   : reached.answer == Answer::unsat ? "Spacer proves it all the same"
                                                     : "Spacer: unknown";
    if (reached.answer == Answer::unknown) fails = induction_fails(mutant, guard, seed);
  } else {
    fails = induction_fails(mutant, guard, seed);
  }
  mutant.caught = mutant.caught && fails;
  mutant.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ReceiveMutant without(rx::Guard guard, rx::Rule rule, const ReceiveRun& run) {
  const rx::GuardRow& row = rx::row_of(guard);
  rx::Searched searched;
  ReceiveMutant mutant = tried(rx::to_string(guard), row.care, row.source, [&] {
    searched = rx::search(rule, {guard, {}}, rx::starts_for(guard), kDeepest);
    return searched;
  });
  if (!run.by_search && searched.found) {
    fails_to_prove(mutant, guard, rule, searched.found->start, run.seed);
  }
  return mutant;
}

ReceiveMutant never(const rx::EndingRow& row, const ReceiveRun& run) {
  const rx::Fault fault{rx::Guard::none, {row.never.begin(), row.never.end()}};
  ReceiveMutant mutant =
      tried(row.name, row.care, row.source, [&] { return rx::search_dead_end(row.stuck, fault, kDeepest); });
  const FactRow progress = progress_row(fault, run.seed);
  mutant.seconds += progress.seconds;
  mutant.proof = progress.name + ": " + to_string(progress.answer);
  mutant.caught = mutant.caught && progress.answer == Answer::sat;
  return mutant;
}

std::span<const FalseFactRow> false_fact_table() {
  static constexpr FalseFactRow kTable[] = {
      {"no_read_in_flight", FalseFact::no_read_in_flight,
       "the fact that no read is ever in flight, which is false"},
      {"block_held_by_one", FalseFact::block_held_by_one,
       "the fact that a block is held by one, which is false"},
  };
  return kTable;
}

ReceiveMutant believed(const FalseFactRow& row, const ReceiveRun& run) {
  ReceiveMutant mutant = tried(row.name, row.care, "model/receive/invariant.hpp", [&] {
    const auto is_bad = [&](const rx::System& system) {
      return !holds(row.fact, system.lives[0], system.page);
    };
    return rx::search_for(is_bad, {}, rx::starts(true), kDeepest);
  });
  const auto start = std::chrono::steady_clock::now();
  const auto step = broken_step(row.fact, run.seed);
  mutant.proof = step ? "the induction fails: " + step->name : "the induction holds all the same";
  mutant.caught = mutant.caught && step.has_value();
  mutant.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return mutant;
}

std::span<const VisitRow> visit_table() {
  using rx::Guard;
  using rx::Step;
  static const VisitRow kTable[] = {
      {"event_not_awaited",
       false,
       {Guard::event_completed, {}},
       "the guard event_completed is left out",
       "unconverted_scheduled"},
      {"reads_never_end",
       false,
       {Guard::none, {Step::read_ends, Step::read_fails}},
       "no read ends",
       "dead end"},
      {"abort_never_comes",
       false,
       {Guard::none, {Step::abort}},
       "no request is aborted",
       "abort never happens"},
      {"block_given_twice",
       true,
       {Guard::block_is_free, {}},
       "the guard block_is_free is left out",
       "reused_while_held"},
      {"blocks_never_freed", true, {Guard::none, {Step::free_blocks}}, "no block is freed", "dead end"},
  };
  return kTable;
}

ReceiveMutant visited(const VisitRow& row) {
  ReceiveMutant mutant;
  Visited visit;
  mutant = tried(row.name, row.care, "", [&] {
    visit = visit_all_states(row.two, row.fault);
    return visit.all;
  });
  mutant.proof = "all states: " + visit.wrong;
  mutant.caught = visit.wrong == row.said;
  return mutant;
}

Visited visit_all_states(bool two, const rx::Fault& fault) {
  Visited visit{rx::exhaust(two, fault), {}};
  if (visit.all.found) {
    const rx::System& last = visit.all.found->states.back();
    visit.wrong = "dead end";
    for (int rule = 0; rule < rx::kRules; ++rule) {
      for (std::size_t who = 0; who < last.count; ++who) {
        const auto one = static_cast<rx::Rule>(rule);
        if (rx::breaks(last, one, who)) visit.wrong = rx::to_string(one);
      }
    }
    return visit;
  }
  for (int step = 0; step < rx::kSteps && !two; ++step) {
    const auto named = static_cast<rx::Step>(step);
    // The second freeing is what its guard is there to prevent.
    if (visit.all.taken[static_cast<std::size_t>(step)] || named == rx::Step::notice_again) continue;
    visit.wrong = fmt::format("{} never happens", rx::to_string(named));
    break;
  }
  return visit;
}

}  // namespace pageproof::proof::receive_proof
