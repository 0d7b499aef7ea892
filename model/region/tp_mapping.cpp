#include "model/region/tp_mapping.hpp"

#include <algorithm>
#include <cassert>

namespace pageproof::region {

std::optional<std::int64_t> tp_ratio(std::uint64_t local_size, std::uint64_t remote_size) {
  if (local_size == 0 || remote_size == 0) return std::nullopt;
  const auto [smaller, larger] = std::minmax(local_size, remote_size);
  if (larger % smaller != 0 || larger / smaller > kMostRanks) return std::nullopt;
  const auto ratio = static_cast<std::int64_t>(larger / smaller);
  return local_size >= remote_size ? ratio : -ratio;
}

bool replicates_kv_cache(const TpPair& pair) {
  return pair.latent || pair.remote_size > pair.kv_heads;
}

TpMapping tp_mapping(const TpPair& pair) {
  assert(tp_ratio(pair.local_size, pair.remote_size).has_value() && pair.local_rank < pair.local_size);
  TpMapping mapping;
  const std::uint64_t fan_in =
      pair.remote_size > pair.local_size ? pair.remote_size / pair.local_size : std::uint64_t{1};
  const std::uint64_t first = pair.remote_size > pair.local_size
                                  ? pair.local_rank * fan_in
                                  : pair.local_rank / (pair.local_size / pair.remote_size);
  for (std::uint64_t i = 0; i < fan_in; ++i) mapping.handshakes.push_back(first + i);
  mapping.consumers = pair.local_size > pair.remote_size ? pair.local_size / pair.remote_size : 1;

  if (pair.latent || pair.local_size >= pair.remote_size) {
    mapping.sources.push_back(pair.local_rank * pair.remote_size / pair.local_size);
  } else {
    // Ranks that hold the same KV head are read once; they are neighbours.
    const auto head_of = [&](std::uint64_t rank) { return rank * pair.kv_heads / pair.remote_size; };
    for (const std::uint64_t rank : mapping.handshakes) {
      if (!mapping.sources.empty() && head_of(mapping.sources.back()) == head_of(rank)) continue;
      mapping.sources.push_back(rank);
    }
  }

  if (!pair.latent && pair.local_size > pair.remote_size) {
    if (pair.local_size > pair.kv_heads) {
      mapping.rank_offset_factor = pair.local_rank * pair.kv_heads / pair.local_size -
                                   mapping.sources.front() * pair.kv_heads / pair.remote_size;
    } else {
      mapping.rank_offset_factor = pair.local_rank % (pair.local_size / pair.remote_size);
    }
  }
  return mapping;
}

}  // namespace pageproof::region
