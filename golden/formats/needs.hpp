// What each format asks of a shape, and of a pair: the rule that a consumer must refuse by. Stated here apart
// from the catalogue, which is checked against it.
#pragma once

#include <optional>
#include <string_view>

#include "golden/formats/fixture.hpp"

namespace pageproof::golden::formats {

// Nothing where the shape can have the format. Heads come first, then element bytes, tokens, head_dim.
std::optional<Rule> broken_need(std::string_view format, const Shape& shape);

// Nothing where both formats hold the same elements.
std::optional<Rule> broken_pair(std::string_view from, std::string_view to);

}  // namespace pageproof::golden::formats
