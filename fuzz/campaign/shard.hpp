// A campaign is a row of rounds 0, 1, 2 ...; shard k of n runs the rounds k-1, k-1+n, k-1+2n ... So the
// shards of one seed share no round, together they run what one unsharded campaign would, and seed and round
// say which cases ran.
#pragma once

#include <cstdint>
#include <string>

#include "model/page/plain/error.hpp"

namespace pageproof::fuzz {

struct Shard {
  std::uint64_t index = 1;  // k, from 1
  std::uint64_t count = 1;  // n

  std::uint64_t round(std::uint64_t nth) const { return index - 1 + nth * count; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

// "2/4". Refused: anything that is not k/n with 1 <= k <= n <= 1,000,000.
Expected<Shard> parse_shard(const std::string& text);
std::string to_string(const Shard& shard);

// The seed of a property's cases in a round.
std::uint64_t round_seed(std::uint64_t seed, std::uint64_t round, const std::string& property);

}  // namespace pageproof::fuzz
