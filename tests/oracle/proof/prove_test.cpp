// The prover can fail: false claims, empty proofs, exhausted budgets, mutants that nothing refutes, and a
// second solver that disagrees, is missing or gives up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "oracle/proof/counterexample.hpp"
#include "oracle/proof/recheck.hpp"

namespace pageproof::proof {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

Obligation with(std::vector<Query> queries, std::vector<Mutant> mutants = {}) {
  return {.name = "test.one",
          .claim = "a claim",
          .shapes = "all n",
          .queries = std::move(queries),
          .mutants = std::move(mutants)};
}

// a + b >= a, for naturals: true. a + b > a: false at b = 0.
struct Sum {
  Scope scope;
  Sym a = scope.natural("a");
  Sym b = scope.natural("b");
  Query holds(Part part = Part::whole) {
    return query(scope, "test.one.sum", "a <= a + b", part, at_most(a, a + b));
  }
  Query fails() { return query(scope, "test.one.sum", "a < a + b", Part::whole, less(a, a + b)); }
};

ObligationResult run_one(Obligation obligation, const RunOptions& options = {}) {
  return run({std::move(obligation)}, options).at(0);
}

TEST(Prove, ATrueClaimIsProvedWithItsGuard) {
  const ObligationResult result = run_one(with({Sum().holds()}));
  EXPECT_TRUE(result.holds());
  EXPECT_EQ(result.verdict, Verdict::proved);
  ASSERT_EQ(result.queries.size(), 2U);
  EXPECT_EQ(result.queries[1].part, Part::guard);
  EXPECT_EQ(result.queries[1].answer, Answer::sat);
}

TEST(Prove, AFalseClaimIsRefutedWithItsValues) {
  const ObligationResult result = run_one(with({Sum().fails()}));
  EXPECT_EQ(result.verdict, Verdict::refuted);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_THAT(result.failures[0].example, HasSubstr("b=0"));
}

TEST(Prove, AnEmptyProofFails) {
  Sum sum;
  sum.scope.assume(less(sum.a, sum.a));
  const ObligationResult result = run_one(with({sum.holds()}));
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].name, "test.one.sum.guard");
  EXPECT_THAT(result.failures[0].got, HasSubstr("no such values"));
}

TEST(Prove, AnExhaustedBudgetIsUnknownAndFails) {
  const std::vector<std::string> names{"lemma.division"};
  std::vector<Obligation> obligations = *select_obligations(names);
  obligations[0].mutants.clear();
  const ObligationResult result = run(std::move(obligations), {.resource_limit = 100}).at(0);
  EXPECT_EQ(result.verdict, Verdict::unknown);
  EXPECT_FALSE(result.holds());
  EXPECT_THAT(result.failures[0].got, HasSubstr("unknown"));
}

TEST(Prove, AWrongCutIsRefused) {
  Scope scope;
  const Sym n = scope.size("n");
  const Sym digit = scope.digit("digit", Sym(8));
  scope.record_cut({n * Sym(8) + digit, Sym(8), n, digit});           // right
  scope.record_cut({n * Sym(8) + digit, Sym(8), n + Sym(1), digit});  // the equation is false
  scope.record_cut({n * Sym(8) + n, Sym(8), n, n});                   // the remainder has no bound
  const ObligationResult result = run_one(with(cut_queries(scope, "test.one")));
  std::vector<std::string> refused;
  for (const Failure& failure : result.failures) refused.push_back(failure.name);
  EXPECT_THAT(refused, ::testing::ElementsAre("test.one.cut1.equation", "test.one.cut2.bounds"));
}

TEST(Prove, AMutantThatNothingRefutesFails) {
  Sum sum;
  const Mutant no_fault = mutant(sum.scope, "test.one.mutant", "a <= a + b", at_most(sum.a, sum.a + sum.b),
                                 {{{"a", sum.a}}, {{"b", sum.b}}, "at least", "", sum.a, sum.a + sum.b});
  const ObligationResult result = run_one(with({sum.holds()}, {no_fault}));
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].name, "test.one.mutant");
  EXPECT_EQ(result.failures[0].expected, "refuted, this is a mutant");
}

TEST(Prove, AMutantsExampleIsTheSmallestAndReplays) {
  Scope scope;
  const Sym n = scope.size("n");
  const Sym i = scope.digit("i", n);
  const Mutant faulty = mutant(scope, "test.one.mutant", "n · i < 12", less(n * i, Sym(12)),
                               {{{"n", n}}, {{"i", i}}, "below", "B", Sym(12), n * i});
  const MutantResult result = refute(faulty, "test.one", 0);
  EXPECT_EQ(result.verdict, Verdict::refuted);
  EXPECT_EQ(result.failure.example, "n=4   i=3");
  EXPECT_EQ(result.failure.expected, "below 12 B");
  EXPECT_EQ(result.failure.got, "12 B");
  EXPECT_TRUE(replays(faulty, {{"n", 5}, {"i", 4}}));
  EXPECT_FALSE(replays(faulty, {{"n", 4}, {"i", 2}})) << "the claim holds there";
  EXPECT_FALSE(replays(faulty, {{"n", 4}, {"i", 4}})) << "the assumption does not";
}

TEST(Prove, NamesSelectAndUnknownOnesOfferTheNearest) {
  const std::vector<std::string> group{"descriptors"};
  EXPECT_EQ(select_obligations(group)->size(), 3U);
  const std::vector<std::string> unknown{"halves.odd_head"};
  const auto refused = select_obligations(unknown);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(to_string(refused.error()), HasSubstr("did you mean halves.odd_heads"));
}

TEST(Prove, EveryObligationHasAMutantAndNamesAreOnce) {
  std::set<std::string> names;
  for (const Obligation& obligation : all_obligations()) {
    EXPECT_FALSE(obligation.mutants.empty()) << obligation.name;
    EXPECT_TRUE(names.insert(obligation.name).second) << obligation.name;
    for (const Query& query : obligation.queries) {
      EXPECT_TRUE(names.insert(query.name).second) << query.name;
      EXPECT_FALSE(query.claim.empty());
    }
    for (const Mutant& mutant : obligation.mutants) {
      EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
      // The file that a case or an export has is named after the query.
      EXPECT_EQ(mutant.query.name, mutant.name);
      EXPECT_EQ(mutant.query.claim, mutant.claim);
    }
  }
}

// A folder with a program that answers every question alike.
class FakeSolver : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("fake_solver_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string program(const std::string& answer) {
    const fs::path path = folder_ / "solver";
    std::ofstream(path) << "#!/bin/sh\necho '" << answer << "'\n";
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }

  fs::path folder_;
};

TEST_F(FakeSolver, DisagreementFails) {
  const std::vector<ObligationResult> results = run({with({Sum().holds()})}, {});
  EXPECT_TRUE(recheck(results, program("unsat"), false, 1).failures.empty());
  const RecheckResult second = recheck(results, program("sat"), false, 1);
  ASSERT_EQ(second.failures.size(), 1U);
  EXPECT_EQ(second.refuted, 1U);
  EXPECT_EQ(second.failures[0].expected, "unsat");
}

TEST_F(FakeSolver, UnknownFailsOnAStepAndIsReportedElsewhere) {
  const std::vector<ObligationResult> whole = run({with({Sum().holds()})}, {});
  const RecheckResult reported = recheck(whole, program("unknown"), false, 1);
  EXPECT_TRUE(reported.failures.empty());
  EXPECT_EQ(reported.unknown, 1U);
  const std::vector<ObligationResult> step = run({with({Sum().holds(Part::step)})}, {});
  EXPECT_EQ(recheck(step, program("unknown"), false, 1).failures.size(), 1U);
}

TEST_F(FakeSolver, AFallInTheCountFails) {
  const std::vector<ObligationResult> results = run({with({Sum().holds()})}, {});
  const RecheckResult second = recheck(results, program("unsat"), true, 1);
  ASSERT_EQ(second.failures.size(), 1U);
  EXPECT_EQ(second.failures[0].name, "recheck.count");
}

TEST_F(FakeSolver, AMissingProgramSaysSo) {
  const std::vector<ObligationResult> results = run({with({Sum().holds()})}, {});
  const RecheckResult second = recheck(results, (folder_ / "absent").string(), false, 1);
  ASSERT_EQ(second.failures.size(), 1U);
  EXPECT_EQ(second.failures[0].got, "it cannot be started");
}

TEST_F(FakeSolver, TheExportNamesClaimsAndExpects) {
  const std::vector<std::string> names{"descriptors.cover"};
  const std::vector<Obligation> obligations = *select_obligations(names);
  const auto written = export_smtlib(obligations, folder_ / "smt");
  ASSERT_TRUE(written.has_value());
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_ / "smt")) {
    files += entry.is_regular_file();
  }
  EXPECT_EQ(files, *written);
  std::ifstream file(folder_ / "smt/descriptors.cover/descriptors.cover.once.smt2");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("; Claim: and in one of them only"));
  EXPECT_THAT(text, HasSubstr("(set-info :status unsat)"));
  EXPECT_THAT(text, HasSubstr("(check-sat)"));
  std::ofstream(folder_ / "file") << "no folder";
  EXPECT_FALSE(export_smtlib(obligations, folder_ / "file").has_value());
}

}  // namespace
}  // namespace pageproof::proof
