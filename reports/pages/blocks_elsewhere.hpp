// Blocks that are shuffled rightly but hold the page of another block: wrong block ids, or ids shifted by
// one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "reports/pages/compare.hpp"

namespace pageproof::reports {

// One line where every wrong block holds another block's page, byte for byte. A constant shift may lead out
// of the pool: such blocks have no page to compare with, and the line counts the others.
// @pre `wrong` blocks differ from their own page, and all their slots were written
std::optional<std::string> blocks_elsewhere(const CheckedPages& checked, const BlockMap& truth,
                                            std::span<const std::uint64_t> wrong);

}  // namespace pageproof::reports
