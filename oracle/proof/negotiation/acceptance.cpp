// Accepting is being in scope: every accepted pair lies in the RFC's scope, every pair in scope is accepted,
// some pair is, and no pair is accepted both ways round.
#include <fmt/format.h>

#include "oracle/proof/negotiation/rfc_scope.hpp"

namespace pageproof::proof {
namespace {

using handshake::Reason;

constexpr const char* kShapes = "all H, N, D, e, TP and region counts; any tag, layout and dtype";

// The claim "whatever this table accepts is in scope", which a faulty table breaks.
Mutant faulty_table(const std::string& name, const std::string& fault, Reason reason,
                    const std::function<Rules(const SymbolicPair&)>& table) {
  Scope scope;
  const SymbolicPair pair = pair_in(scope);
  for (const Rule& rule : table(pair)) scope.assume(rule.holds);
  std::vector<Formula> items;
  for (const ScopeItem& item : rfc_scope(pair)) items.push_back(item.holds);
  return mutant(scope, name, fmt::format("what a table with {} accepts is in scope", fault),
                all_of(std::move(items)), pair_example(pair, "rejected: " + name_of(reason), "accepted"));
}

Obligation fail_closed() {
  const std::string name = "negotiation.fail_closed";
  Obligation o{
      .name = name, .claim = "what the table accepts meets every item of the RFC's scope", .shapes = kShapes};
  Scope scope;
  const SymbolicPair pair = pair_in(scope);
  const std::vector<ScopeItem> items = rfc_scope(pair);
  for (const Rule& rule : conversion_rules(pair.facts)) scope.assume(rule.holds);
  for (const ScopeItem& item : items) {
    o.queries.push_back(query(scope, fmt::format("{}.{}", name, item.name), "accepted: " + item.words,
                              Part::whole, item.holds));
  }
  const auto rewritten = [&](const char* fault, const std::string& words, Reason reason,
                             const auto& rewrite) {
    o.mutants.push_back(faulty_table(
        fmt::format("{}.{}", name, fault), words, reason,
        [&](const SymbolicPair& p) { return with(conversion_rules(p.facts), reason, rewrite); }));
  };
  for (const Reason reason : {Reason::tokens_unequal, Reason::heads_unequal, Reason::tp_unequal,
                              Reason::remote_block_len, Reason::region_count}) {
    rewritten(("at_most." + name_of(reason)).c_str(), fmt::format("<= for = in {}", name_of(reason)), reason,
              at_most_for_equal);
  }
  rewritten("eight_tokens", "8 for 16 in tokens_out_of_scope", Reason::tokens_out_of_scope,
            [](const Formula& f) { return number_for(f, 16, 8); });
  rewritten("any_tokens_too", "64-token pages besides 16 and 32", Reason::tokens_out_of_scope,
            [](const Formula& f) { return any_of({f, number_for(f, 32, 64)}); });
  rewritten("half_granules", "4 for 8 in dims_not_granules", Reason::dims_not_granules,
            [](const Formula& f) { return any_of({f, equal(f.terms[0], Sym(4))}); });
  rewritten("one_side_a_page", "1 for 2 sides a page in remote_block_len", Reason::remote_block_len,
            [](const Formula& f) { return number_for(f, 2, 1); });
  o.mutants.push_back(
      faulty_table(name + ".exchanged", "local and remote exchanged", Reason::remote_not_standard,
                   [](const SymbolicPair& p) { return conversion_rules(exchanged(p).facts); }));
  return o;
}

Obligation complete() {
  const std::string name = "negotiation.complete";
  Obligation o{.name = name,
               .claim = "a pair that meets every item of the scope meets every rule, and so is accepted",
               .shapes = kShapes};
  Scope scope;
  const SymbolicPair pair = pair_in(scope);
  const Rules rules = conversion_rules(pair.facts);
  for (const ScopeItem& item : rfc_scope(pair)) scope.assume(item.holds);
  for (const Rule& rule : rules) {
    o.queries.push_back(query(scope, fmt::format("{}.{}", name, name_of(rule.reason)),
                              "in scope: the rule of this reason holds", Part::whole, rule.holds));
  }
  const auto stricter = [&](const char* fault, const std::string& claim, Reason reason, const auto& rewrite,
                            bool added_too = true) {
    Scope wrong;
    const SymbolicPair p = pair_in(wrong);
    const Rules table = with(conversion_rules(p.facts), reason, rewrite);
    for (const ScopeItem& item : rfc_scope(p)) {
      if (added_too || !item.added) wrong.assume(item.holds);
    }
    o.mutants.push_back(mutant(wrong, fmt::format("{}.{}", name, fault), claim, all_hold(table),
                               pair_example(p, "accepted", "rejected: " + name_of(reason))));
  };
  stricter("sixteen_alone", "a table that asks for 16 tokens accepts what is in scope",
           Reason::tokens_out_of_scope, first_alternative);
  stricter("bfloat16_alone", "a table that asks for bfloat16 accepts what is in scope",
           Reason::dtype_out_of_scope, first_alternative);
  stricter("wide_granules", "a table that asks for more than one granule a row accepts what is in scope",
           Reason::dims_not_granules,
           [](const Formula& f) { return all_of({f, negation(equal(f.terms[0].node().parts[0], Sym(8)))}); });
  stricter(
      "without_additions", "what the RFC's sentences alone ask for is accepted",
      Reason::context_parallel_unequal, [](const Formula& f) { return f; }, false);
  return o;
}

Obligation some_pair() {
  const std::string name = "negotiation.some_pair";
  Obligation o{.name = name, .claim = "some pair is accepted", .shapes = "one pair"};
  Scope scope;
  const SymbolicPair pair = pair_in(scope);
  const Rules rules = conversion_rules(pair.facts);
  for (const Rule& rule : rules) scope.assume(rule.holds);
  o.queries.push_back({name + ".exists", "every rule can hold at once", Part::guard, Form::polynomial,
                       scope.assumptions(), any_of({})});
  Scope none;
  const SymbolicPair p = pair_in(none);
  const Rules table = conversion_rules(p.facts);
  o.mutants.push_back(mutant(none, name + ".none", "no pair is accepted", negation(all_hold(table)),
                             pair_example(p, "rejected", "accepted")));
  return o;
}

Obligation one_way() {
  const std::string name = "negotiation.one_way";
  Obligation o{.name = name,
               .claim = "the engines of an accepted pair are not accepted with their roles exchanged",
               .shapes = kShapes};
  Scope scope;
  const SymbolicPair pair = pair_in(scope);
  const Rules there = conversion_rules(pair.facts);
  const Rules back = conversion_rules(exchanged(pair).facts);
  for (const Rule& rule : there) scope.assume(rule.holds);
  o.queries.push_back(
      query(scope, name + ".back", "some rule fails on the way back", Part::whole, negation(all_hold(back))));
  Scope wrong;
  const SymbolicPair p = pair_in(wrong);
  const auto loose = [](Rules rules) {
    for (const Reason reason :
         {Reason::remote_not_standard, Reason::local_not_shuffled, Reason::remote_layout,
          Reason::local_layout, Reason::remote_block_len, Reason::local_block_len, Reason::region_count}) {
      rules = without(std::move(rules), reason);
    }
    return rules;
  };
  const Formula both = all_of(
      {all_hold(loose(conversion_rules(p.facts))), all_hold(loose(conversion_rules(exchanged(p).facts)))});
  o.mutants.push_back(mutant(wrong, name + ".by_sizes_alone",
                             "so it is without the rules on tags, layouts, lengths and counts",
                             negation(both), pair_example(p, "rejected one way", "accepted both ways")));
  return o;
}

}  // namespace

std::vector<Obligation> acceptance_obligations() {
  return {fail_closed(), complete(), some_pair(), one_way()};
}

}  // namespace pageproof::proof
