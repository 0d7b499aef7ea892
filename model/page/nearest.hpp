// Which known names lie nearest to one that is not known: what an error offers instead.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace pageproof::page {

// Edits that turn one name into the other (Levenshtein). Time and memory grow with both lengths: cut what was
// typed.
std::size_t edit_distance(std::string_view a, std::string_view b);

// "did you mean a, b or c?": the known names by edit distance, at most three.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace pageproof::page
