#include "reports/negotiation/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/handshake/reason.hpp"
#include "oracle/proof/negotiation/rfc_scope.hpp"

namespace pageproof::reports {
namespace {

using handshake::Reason;
using proof::TheoremCores;

std::vector<std::string> theorems_needing(const std::vector<TheoremCores>& cores, Reason reason) {
  std::vector<std::string> names;
  for (const TheoremCores& one : cores) {
    if (proof::needed({one}, reason)) names.push_back(one.theorem->name);
  }
  return names;
}

// What stands at a rule: its theorems, or policy.
std::string standing(const std::vector<TheoremCores>& cores, Reason reason) {
  const std::vector<std::string> names = theorems_needing(cores, reason);
  return names.empty() ? "policy" : fmt::format("{}", fmt::join(names, ", "));
}

std::string named(const proof::Core& core) {
  std::vector<std::string> names;
  for (const Reason reason : core) names.push_back(fmt::format("`{}`", proof::name_of(reason)));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string scope_table(const std::vector<TheoremCores>& cores) {
  std::string text = "| the RFC's scope | where | rule | needed by |\n| --- | --- | --- | --- |\n";
  proof::Scope scope;
  for (const proof::ScopeItem& item : proof::rfc_scope(proof::pair_in(scope))) {
    for (std::size_t i = 0; i < item.rules.size(); ++i) {
      text += fmt::format("| {} | {} | `{}` | {} |\n", i == 0 ? item.words : "", i == 0 ? item.source : "",
                          proof::name_of(item.rules[i]), standing(cores, item.rules[i]));
    }
  }
  return text;
}

std::string theorem_table(const std::vector<TheoremCores>& cores) {
  std::string text =
      "| theorem | of an accepted pair | assumed of the world | minimal sets of rules |\n"
      "| --- | --- | --- | --- |\n";
  for (const TheoremCores& one : cores) {
    std::vector<std::string> sets;
    for (const proof::Core& core : one.cores) sets.push_back(named(core));
    text += fmt::format("| {} | {} | {} | {} |\n", one.theorem->name, one.theorem->claim, one.theorem->world,
                        fmt::join(sets, "; or "));
  }
  return text;
}

}  // namespace

std::string policy_page(const std::vector<TheoremCores>& cores) {
  std::vector<std::string> policies;
  for (const proof::Rule& rule : cores.front().theorem->rules) {
    if (!proof::needed(cores, rule.reason))
      policies.push_back(fmt::format("`{}`", proof::name_of(rule.reason)));
  }
  return fmt::format(
      "# Which rule is there for what\n\n"
      "Written by `pageproof handshake policy --markdown`; `pageproof verify handshake.policy_page` compares "
      "it.\n\n"
      "A pair of different page formats is accepted when every rule of one table holds "
      "(`model/handshake/rules.hpp`). The solver\n"
      "says what each rule is there for: a *minimal set* is a set of rules from which a theorem follows, and "
      "from which "
      "it no\n"
      "longer follows without any one of them. All minimal sets are listed. A rule in none of them guards no "
      "theorem "
      "below: it is\n"
      "*policy*, a decision of the RFC's scope (or of this table, where marked added), not of the bytes.\n\n"
      "Policy: {}.\n\n"
      "{}\n"
      "An item that several rules say together has a line for each. `tag_missing` follows from "
      "`remote_not_standard` "
      "and stands\n"
      "before it for its message alone.\n\n"
      "## The theorems\n\n"
      "For all sizes, tags, layouts and dtypes; `pageproof prove negotiation` proves each and refutes it "
      "without a rule "
      "that it\n"
      "needs. In the last row a rule stands for both directions at once.\n\n"
      "{}",
      fmt::join(policies, ", "), scope_table(cores), theorem_table(cores));
}

std::string policy_text(const std::vector<TheoremCores>& cores) {
  std::string text;
  for (const proof::Rule& rule : cores.front().theorem->rules) {
    text += fmt::format("{:<30}  {:<15}  {}\n", proof::name_of(rule.reason),
                        handshake::to_string(handshake::facts_of(rule.reason).origin),
                        standing(cores, rule.reason));
  }
  return text;
}

}  // namespace pageproof::reports
