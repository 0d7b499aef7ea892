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

// "did you mean a, b or c?": at most three of the known names. A name that holds what was written comes first
// ("flashinfer" is a part of two), then by the edits that turn either the whole name or each written word
// into one of its words ("clasic": one edit from the first word of classic-paged). Case does not count.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace pageproof::page
