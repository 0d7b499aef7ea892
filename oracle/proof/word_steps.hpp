// The small facts under "no intermediate wraps": they hold of any fold and of any sum of products.
#pragma once

#include "oracle/proof/obligation.hpp"

namespace pageproof::proof {

inline constexpr std::uint64_t kLargestPool = std::uint64_t{1} << 48;

// c1 <= c2 <= ... <= pool <= 2^48: every product and sum of a fold (at most the capacity of its step) is at
// most 2^48, far below 2^64.
Query transitivity(const std::string& name, std::size_t steps);

// at · radix <= at · radix + digit.
Query product_below_sum(const std::string& name);

// block · bytes + byte < B · bytes.
Query in_pool(const std::string& name);

}  // namespace pageproof::proof
