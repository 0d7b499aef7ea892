// A list of block ids as a person writes it: "0,3,5-9". Every id is below the pool's block count and stands
// once, so the list is never longer than the pool.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof {

std::vector<std::uint64_t> all_block_ids(std::uint64_t blocks);

// In the order written. Refuses, naming the offending part: what is no id and no range, a range that runs
// backwards, an id beyond the pool, an id listed twice.
Expected<std::vector<std::uint64_t>> parse_block_ids(std::string_view text, std::uint64_t blocks);

}  // namespace pageproof
