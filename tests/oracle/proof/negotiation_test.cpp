// The rule table as the proofs read it: Z3's own reading agrees, cores are minimal and depend on no seed, and
// a table with a fault is noticed by each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "oracle/proof/counterexample.hpp"
#include "oracle/proof/negotiation/cores.hpp"
#include "oracle/proof/negotiation/native.hpp"
#include "oracle/proof/negotiation/rfc_scope.hpp"

namespace pageproof::proof {
namespace {

using handshake::Reason;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const RuleTheorem& theorem(const std::string& name) {
  const auto found = std::ranges::find(rule_theorems(), name, &RuleTheorem::name);
  EXPECT_NE(found, rule_theorems().end()) << name;
  return *found;
}

TEST(Negotiation, TheFormulasAreWhatZ3ReadsInTheTable) {
  EXPECT_THAT(differing_rules(), IsEmpty());
  const auto eight = [](const Rule& rule) { return number_for(rule.holds, 16, 8); };
  EXPECT_THAT(differing_rules(eight), ElementsAre(Reason::tokens_out_of_scope));
  const auto loose = [](const Rule& rule) {
    return rule.reason == Reason::tp_unequal ? at_most_for_equal(rule.holds) : rule.holds;
  };
  EXPECT_THAT(differing_rules(loose), ElementsAre(Reason::tp_unequal));
}

TEST(Negotiation, CoresDependOnNoSeed) {
  for (const char* name : {"lengths", "planes", "one_way"}) {
    const auto first = minimal_cores(theorem(name), 0);
    const auto other = minimal_cores(theorem(name), 7);
    ASSERT_TRUE(first && other) << name;
    EXPECT_EQ(*first, *other) << name;
  }
}

TEST(Negotiation, CoresAreSetsThatImplyAndNoSmallerOnesDo) {
  for (const char* name : {"regions", "names", "blocks", "granules", "one_way"}) {
    const RuleTheorem& one = theorem(name);
    const auto follows = [&](const Core& core) {
      Rules rules;
      for (const Reason reason : core) rules.push_back({reason, rule_of(one.rules, reason)});
      return solve(question_of(one, rules, name), 3).answer == Answer::unsat;
    };
    const auto cores = minimal_cores(one);
    ASSERT_TRUE(cores.has_value()) << name;
    for (const Core& core : *cores) {
      EXPECT_TRUE(follows(core)) << name;
      for (std::size_t i = 0; i < core.size(); ++i) {
        Core smaller = core;
        smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_FALSE(follows(smaller)) << name << " does not need " << name_of(core[i]);
      }
    }
  }
  EXPECT_EQ(minimal_cores(theorem("one_way"))->size(), 4U);
}

TEST(Negotiation, ATheoremThatTheRulesDoNotImplyHasNoCores) {
  RuleTheorem weaker = theorem("planes");
  weaker.rules = without(weaker.rules, Reason::local_layout);
  const auto cores = minimal_cores(weaker);
  ASSERT_FALSE(cores.has_value());
  EXPECT_EQ(cores.error().field, "planes");
}

// The items of the scope name every rule, so that no rule is left out of the page.
TEST(Negotiation, TheScopeNamesEveryRule) {
  Scope scope;
  const SymbolicPair pair = pair_in(scope);
  std::set<Reason> named;
  std::set<std::string> names;
  for (const ScopeItem& item : rfc_scope(pair)) {
    named.insert(item.rules.begin(), item.rules.end());
    EXPECT_TRUE(names.insert(item.name).second) << item.name;
    EXPECT_FALSE(item.source.empty());
  }
  for (const Rule& rule : conversion_rules(pair.facts))
    EXPECT_TRUE(named.contains(rule.reason)) << name_of(rule.reason);
}

// Smallest values are smallest whatever the seed, and names are shown as names.
TEST(Negotiation, AnExampleNamesBothEngines) {
  const std::vector<std::string> names{"negotiation.some_pair"};
  const std::vector<Obligation> obligations = *select_obligations(names);
  const Mutant& none = obligations.at(0).mutants.at(0);
  const MutantResult first = refute(none, "negotiation.some_pair", 0);
  const MutantResult other = refute(none, "negotiation.some_pair", 5);
  EXPECT_EQ(first.verdict, Verdict::refuted);
  EXPECT_EQ(first.failure.example, other.failure.example);
  EXPECT_THAT(first.failure.example,
              ::testing::HasSubstr("local.heads=1 local.tokens=16 local.dims=8 local.element_bytes=2"));
  EXPECT_THAT(first.failure.example, ::testing::HasSubstr("local.tag=aiter-shuffled local.layout=LHBNC"));
  EXPECT_EQ(first.failure.got, "accepted");
}

}  // namespace
}  // namespace pageproof::proof
