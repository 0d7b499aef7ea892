#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/receive/search.hpp"
#include "oracle/proof/receive/engines.hpp"
#include "oracle/proof/receive/mutants.hpp"
#include "oracle/proof/receive/prove.hpp"

namespace pageproof {
namespace {

namespace rx = receive;

// --- the table -------------------------------------------------------------------------------------------

TEST(Receive, EveryGuardHasARowAndARuleThatBreaks) {
  EXPECT_EQ(rx::guard_table().size(), static_cast<std::size_t>(rx::kGuards - 1));
  std::set<rx::Guard> guards;
  std::set<std::string_view> names;
  for (const rx::GuardRow& row : rx::guard_table()) {
    guards.insert(row.guard);
    names.insert(rx::to_string(row.guard));
    EXPECT_EQ(rx::find_guard(rx::to_string(row.guard)), row.guard);
  }
  EXPECT_EQ(guards.size(), rx::guard_table().size());
  EXPECT_EQ(names.size(), rx::guard_table().size());
  EXPECT_FALSE(rx::find_guard("none"));
  std::set<std::string_view> steps;
  for (int step = 0; step < rx::kSteps; ++step) steps.insert(rx::to_string(static_cast<rx::Step>(step)));
  EXPECT_EQ(steps.size(), static_cast<std::size_t>(rx::kSteps));
}

TEST(Receive, AnAbortThatTellsNobodyNeverEnds) {
  const rx::EndingRow* row = rx::find_ending("abort_is_told");
  ASSERT_NE(row, nullptr);
  const rx::Fault fault{rx::Guard::none, {row->never.begin(), row->never.end()}};
  const rx::Searched searched = rx::search_dead_end(row->stuck, fault, 40);
  ASSERT_TRUE(searched.found);
  const rx::Life<int>& life = searched.found->states.back().lives[0];
  EXPECT_EQ(life.prefill, rx::kHeld);
  EXPECT_EQ(life.aborted, 1);
  EXPECT_EQ(life.phase, rx::kFreed);
}

// What is only a failure or an abort does not count as a way out.
TEST(Receive, AStuckRequestIsADeadEndThoughItCanBeAborted) {
  std::set<std::string_view> names;
  for (const rx::EndingRow& row : rx::ending_table()) {
    names.insert(row.name);
    EXPECT_EQ(rx::find_ending(row.name), &row);
    const rx::Fault fault{rx::Guard::none, {row.never.begin(), row.never.end()}};
    const rx::Searched searched = rx::search_dead_end(row.stuck, fault, 40);
    ASSERT_TRUE(searched.found) << row.name;
    const rx::System& stuck = searched.found->states.back();
    EXPECT_TRUE(rx::is_dead_end(stuck, fault)) << row.name;
    // With the steps back it is none: they are what is missing.
    EXPECT_FALSE(rx::is_dead_end(stuck, {})) << row.name;
  }
  EXPECT_EQ(names.size(), rx::ending_table().size());
  EXPECT_EQ(rx::find_ending("no_such_row"), nullptr);
}

// --- the proof can fail ----------------------------------------------------------------------------------

TEST(Receive, TheProverRefutesWhatIsFalse) {
  namespace prover = proof::receive_proof;
  const rx::Fault early{rx::Guard::notice_after_reads, {}};
  EXPECT_EQ(prover::spacer(rx::Rule::told_before_reads_end, early, 0, 4'000'000'000).answer,
            proof::Answer::sat);
  EXPECT_EQ(prover::spacer(rx::Rule::told_before_reads_end, {}, 0, 4'000'000'000).answer,
            proof::Answer::unsat);
  EXPECT_EQ(prover::spacer(rx::Rule::told_before_reads_end, {}, 0, 1000).answer, proof::Answer::unknown);
  EXPECT_TRUE(prover::broken_step(rx::Guard::block_is_free, 0));
  EXPECT_FALSE(prover::broken_step(rx::Guard::none, 0));
  // One request alone cannot show what other requests' reads need: so this rule is shown of two.
  const rx::Fault elsewhere{rx::Guard::engine_is_not_busy_elsewhere, {}};
  EXPECT_EQ(prover::spacer(rx::Rule::unknown_engine_posts, elsewhere, 0, 4'000'000'000).answer,
            proof::Answer::unsat);
  EXPECT_TRUE(prover::by_induction(rx::Rule::unknown_engine_posts));
  EXPECT_TRUE(prover::broken_step(elsewhere.without, 0));
  EXPECT_EQ(prover::progress_row({}, 0).answer, proof::Answer::unsat);
  // A lease alone is enough, neither is not.
  const std::vector<rx::Step> untold{rx::Step::tell_abort};
  EXPECT_EQ(prover::progress_row({rx::Guard::none, untold, true}, 0).answer, proof::Answer::unsat);
  EXPECT_EQ(prover::progress_row({rx::Guard::none, untold, false}, 0).answer, proof::Answer::sat);
  EXPECT_FALSE(proof::prove_receive({"no_such_rule"}, {}));
}

// Every obligation can fail, and a mutant is caught only where its proof fails, too.
TEST(Receive, EveryObligationHasAMutant) {
  namespace prover = proof::receive_proof;
  std::set<std::string> without;
  for (const rx::GuardRow& row : rx::guard_table()) {
    without.insert("receive." + std::string(rx::to_string(row.breaks)));
  }
  without.insert("receive.unconverted_decoded");  // the device's side of event_completed
  without.insert("receive.ends");
  without.insert(prover::false_fact_table().empty() ? "" : "receive.facts");
  for (const prover::VisitRow& row : prover::visit_table()) {
    without.insert(row.two ? "receive.exhaustive_two" : "receive.exhaustive");
  }
  for (const std::string& name : proof::receive_obligation_names())
    EXPECT_TRUE(without.contains(name)) << name;
  const auto caught = [](std::string_view name) {
    const auto results = proof::prove_receive({std::string(name)}, {.mutants_only = true});
    return results && results->front().failures.empty();
  };
  for (const prover::FalseFactRow& row : prover::false_fact_table())
    EXPECT_TRUE(caught(row.name)) << row.name;
  // What the visit is to say of a fault it does not say of another one.
  prover::VisitRow wrong = prover::visit_table()[3];
  EXPECT_TRUE(prover::visited(wrong).caught);
  wrong.fault = prover::visit_table()[4].fault;
  EXPECT_FALSE(prover::visited(wrong).caught);
  // Spacer proves a rule without a guard that it does not rest on.
  const rx::System start = rx::starts(false).front();
  const rx::Fault idle{rx::Guard::policy_once, {}};
  EXPECT_EQ(prover::spacer(rx::Rule::told_twice, idle, 0, 4'000'000'000, &start).answer,
            proof::Answer::unsat);
}

}  // namespace
}  // namespace pageproof
