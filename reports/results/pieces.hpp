// JSON text before it is parsed: where one value of several ends, and what Python writes that is no JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pageproof::results {

// The first JSON value of a text that is not empty, by its brackets: what begins with none ends with its
// line.
std::string_view first_piece(std::string_view text);

// NaN, Infinity and -Infinity in quotes; nullopt where the text has none outside strings.
std::optional<std::string> with_quoted_non_numbers(std::string_view text);

}  // namespace pageproof::results
