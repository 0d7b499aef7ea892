// `pageproof handshake policy`: which theorem needs which rule of the negotiation, and which rules are
// policy.
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "reports/negotiation/policy.hpp"

namespace pageproof::cli {

Result handshake_policy(const HandshakePolicyOptions& options) {
  constexpr std::uint32_t kThreads = 2;
  const Expected<std::vector<proof::TheoremCores>> cores = proof::all_cores(kThreads);
  if (!cores) return std::unexpected(cores.error());
  nlohmann::ordered_json theorems = nlohmann::ordered_json::array();
  for (const proof::TheoremCores& one : *cores) {
    nlohmann::ordered_json sets = nlohmann::ordered_json::array();
    for (const proof::Core& core : one.cores) {
      nlohmann::ordered_json names = nlohmann::ordered_json::array();
      for (const handshake::Reason reason : core) names.push_back(proof::name_of(reason));
      sets.push_back(std::move(names));
    }
    theorems.push_back(
        {{"theorem", one.theorem->name}, {"claim", one.theorem->claim}, {"minimal_sets", sets}});
  }
  return Report{true, options.markdown ? reports::policy_page(*cores) : reports::policy_text(*cores),
                one_document({{"command", "handshake policy"}, {"theorems", theorems}})};
}

}  // namespace pageproof::cli
