// What the search found, for people and programs. The pages of docs/ and the expectations of the verify row
// are what these functions print: a change of behaviour shows as a difference there.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/silent/search.hpp"

namespace pageproof::silent {

// The count first, then the causes, each with its conditions, an example and the first wrong byte.
std::string to_text(const SilentSet& set);
// docs/silent_pairs.md.
std::string to_markdown(const SilentSet& set);
// reports/reviewer_decisions.md: what the RFC asks its reviewers, with the numbers that bear on it.
std::string decisions(const SilentSet& set);
// Everything but the seconds, so that two runs print the same.
nlohmann::ordered_json to_json(const SilentSet& set);

// "3,961,593"
std::string grouped(std::uint64_t number);
// "ROCM_AITER_FA aiter-shuffled LBHNC, TP 2, 16-token blocks, bfloat16"
std::string described(const handshake::EngineSide& side);
// What goes wrong in an example, in one sentence.
std::string story(const Example& example);
// A rule by the name that SilentSet counts it under, in words.
std::string rule_in_words(const std::string& name);

}  // namespace pageproof::silent
