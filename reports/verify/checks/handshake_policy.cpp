// docs/negotiation_rules.md says what the solver says: which theorem needs which rule.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "reports/negotiation/policy.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

constexpr const char* kName = "handshake.policy_page";
constexpr std::uint32_t kThreads = 2;

// The first line that differs.
Failure differing(const std::string& committed, const std::string& made) {
  const auto [ours, fresh] = std::ranges::mismatch(committed, made);
  const auto line = [](const std::string& text, auto at) {
    const auto index = static_cast<std::size_t>(at - text.begin());
    const std::size_t begin = index == 0 ? 0 : text.rfind('\n', index - 1) + 1;
    return text.substr(begin, std::min<std::size_t>(text.find('\n', index) - begin, 160));
  };
  return {kName,
          "the page is what the command prints",
          kPolicyPage,
          line(made, fresh),
          line(committed, ours),
          "pageproof handshake policy --markdown"};
}

CheckResult run(const CheckOptions& options) {
  CheckResult result;
  const auto cores = proof::all_cores(kThreads, static_cast<std::uint32_t>(options.seed));
  if (!cores) {
    result.failures.push_back({kName, "every theorem follows from the rules", to_string(cores.error()),
                               "cores", "an error", "pageproof handshake policy"});
    return result;
  }
  for (const proof::TheoremCores& one : *cores) result.cases += one.cores.size();
  std::ifstream file(std::string(PAGEPROOF_SOURCE_DIR "/") + kPolicyPage, std::ios::binary);
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  const std::string made = policy_page(*cores);
  if (committed != made) result.failures.push_back(differing(committed, made));
  return result;
}

const Registered kPolicy({.name = kName,
                          .claim = "the page of rules, theorems and policies is what the solver says",
                          .run = run});

}  // namespace
}  // namespace pageproof::reports
