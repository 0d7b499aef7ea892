// Which known names lie nearest to one that is not known: what an error offers instead.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pageproof::page {

// "did you mean a, b or c?": the known names by edit distance, at most three.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace pageproof::page
