// The theorems about the bytes of an accepted pair, as obligations. The mutants of each: it without one of
// the rules of a core, which must be refuted where every core needs the rule.
#include <fmt/format.h>

#include "oracle/proof/negotiation/theorems.hpp"

namespace pageproof::proof {
namespace {

using handshake::Reason;

// Rules that every core of a theorem has: without one of them it does not follow.
std::vector<Reason> indispensable(const std::string& theorem) {
  if (theorem == "shape")
    return {Reason::dtype_unequal, Reason::heads_unequal, Reason::tokens_unequal, Reason::dims_unequal};
  if (theorem == "lengths" || theorem == "landing")
    return {Reason::remote_block_len, Reason::local_block_len};
  if (theorem == "regions") return {Reason::region_count};
  if (theorem == "names") return {Reason::region_count, Reason::region_names};
  if (theorem == "element") {
    return {Reason::remote_not_standard, Reason::remote_layout, Reason::heads_unequal,
            Reason::tokens_unequal,      Reason::dims_unequal,  Reason::dtype_unequal};
  }
  if (theorem == "planes") return {Reason::local_not_shuffled, Reason::local_layout};
  if (theorem == "granules")
    return {Reason::tokens_out_of_scope, Reason::dtype_out_of_scope, Reason::dims_not_granules};
  if (theorem == "blocks") return {Reason::tokens_unequal, Reason::blocks_per_logical_unequal};
  if (theorem == "ranks") return {Reason::tp_unequal, Reason::heads_unequal};
  return {};
}

Mutant without_rule(const RuleTheorem& theorem, const std::string& prefix, Reason reason) {
  const Rules rest = without(theorem.rules, reason);
  std::vector<Formula> assumptions = theorem.assumed;
  for (const Rule& rule : rest) assumptions.push_back(rule.holds);
  Example example = pair_example(theorem.pair, theorem.claim, "not so");
  example.coordinate.insert(example.coordinate.begin(), theorem.coordinate.begin(), theorem.coordinate.end());
  const std::string name = prefix + ".without_" + name_of(reason);
  const std::string claim = fmt::format("without {}: {}", name_of(reason), theorem.claim);
  return {name,
          claim,
          {name, claim, Part::whole, Form::named, std::move(assumptions), theorem.goal},
          std::move(example)};
}

}  // namespace

std::vector<Obligation> consequence_obligations() {
  std::vector<Obligation> all;
  for (const RuleTheorem& theorem : rule_theorems()) {
    if (theorem.name == "one_way") continue;  // an obligation of its own: acceptance.cpp
    const std::string name = "negotiation." + theorem.name;
    Obligation o{.name = name,
                 .claim = "accepted: " + theorem.claim,
                 .shapes = "all H, N, D, e, TP and region counts",
                 .queries = {question_of(theorem, theorem.rules, name + ".holds")},
                 .mutants = {}};
    for (const Reason reason : indispensable(theorem.name)) {
      o.mutants.push_back(without_rule(theorem, name, reason));
    }
    all.push_back(std::move(o));
  }
  return all;
}

}  // namespace pageproof::proof
