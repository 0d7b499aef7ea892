// Which prefill ranks a decode rank reads from, and where in their regions, when the two sides have different
// numbers of tensor-parallel ranks. Source: connector spec §2.5.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pageproof::region {

// No engine is larger. A bound, since one decode rank may meet them all.
inline constexpr std::uint64_t kMostRanks = 4096;

struct TpPair {
  std::uint64_t local_rank = 0;   // of the decode rank
  std::uint64_t local_size = 1;   // D_TP
  std::uint64_t remote_size = 1;  // P_TP
  std::uint64_t kv_heads = 1;     // K of the whole model
  bool latent = false;            // MLA
};

// +local/remote where local >= remote, else −remote/local; empty where neither divides the other (vLLM
// asserts) or one is more than kMostRanks times the other.
std::optional<std::int64_t> tp_ratio(std::uint64_t local_size, std::uint64_t remote_size);

// Does each remote rank hold a whole KV head that others hold too?
bool replicates_kv_cache(const TpPair& pair);

struct TpMapping {
  std::vector<std::uint64_t> sources;     // ranks that are read
  std::vector<std::uint64_t> handshakes;  // ranks that are asked for their metadata
  std::uint64_t rank_offset_factor =
      0;                        // in units of the local block_len: where in a remote block this rank begins
  std::uint64_t consumers = 1;  // decode ranks that a source must count before it frees its blocks

  friend bool operator==(const TpMapping&, const TpMapping&) = default;
};

// @pre tp_ratio(local_size, remote_size) has a value; local_rank < local_size
TpMapping tp_mapping(const TpPair& pair);

}  // namespace pageproof::region
