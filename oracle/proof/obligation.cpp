#include "oracle/proof/obligation.hpp"

#include <algorithm>

#include "model/page/nearest.hpp"

namespace pageproof::proof {
namespace {

bool takes(const std::string& name, const std::string& filter) {
  return name == filter || name.starts_with(filter + ".");
}

}  // namespace

Mutant mutant(const Scope& scope, const std::string& name, const std::string& claim, const Formula& goal,
              Example example) {
  Query asked = query(scope, name, claim, Part::whole, goal);
  asked.assumptions = scope.assumptions();  // the example needs a value for every variable
  return {name, claim, std::move(asked), std::move(example)};
}

void append(std::vector<Query>& to, std::vector<Query> from) {
  std::ranges::move(from, std::back_inserter(to));
}

std::vector<Obligation> all_obligations() {
  std::vector<Obligation> all;
  for (const auto& group :
       {lemma_obligations, format_obligations, layout_obligations, writer_obligations, half_obligations,
        torn_head_obligations, identity_obligations, region_obligations, word_obligations,
        statement_obligations, descriptor_obligations, transfer_obligations, planner_obligations,
        acceptance_obligations, reason_obligations, consequence_obligations, matching_obligations}) {
    std::ranges::move(group(), std::back_inserter(all));
  }
  return all;
}

Expected<std::vector<Obligation>> select_obligations(std::span<const std::string> names) {
  std::vector<Obligation> all = all_obligations();
  if (names.empty()) return all;
  const auto named = [](const Obligation& obligation, const std::string& filter) {
    return takes(obligation.name, filter) ||
           std::ranges::any_of(obligation.mutants, [&](const Mutant& m) { return m.name == filter; });
  };
  for (const std::string& filter : names) {
    if (std::ranges::any_of(all, [&](const Obligation& o) { return named(o, filter); })) continue;
    std::vector<std::string> known;
    for (const Obligation& obligation : all) known.push_back(obligation.name);
    return std::unexpected(
        Error{"prove", "name", filter, "no obligation has this name; " + page::did_you_mean(filter, known)});
  }
  std::erase_if(all, [&](const Obligation& obligation) {
    return std::ranges::none_of(names, [&](const std::string& filter) { return named(obligation, filter); });
  });
  return all;
}

std::string group_of(const Obligation& obligation) {
  return obligation.name.substr(0, obligation.name.find('.'));
}

}  // namespace pageproof::proof
