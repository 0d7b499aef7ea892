// Runs for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/results/read.hpp"

namespace pageproof::results {

// Everything but the arrays. An infinite request rate is the text "inf", as the tools write it.
nlohmann::ordered_json json_of(const Run& run);
nlohmann::ordered_json json_of(const Results& results);

// A line a run and one a finding, then what was left out, then counts. What was refused is not in it.
std::string text_of(const Results& results);

}  // namespace pageproof::results
