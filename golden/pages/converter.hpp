// The converter under test, as the checker calls it: whoever wants to be checked adapts to this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "model/page/plain/error.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::golden {

// Pools are dense and 16-byte aligned: block b of `standard` begins at byte b·2S, of a plane at byte b·S.
struct ConvertRequest {
  Shape shape;
  bool in_place = false;                             // the planes hold the landing of the listed blocks
  std::span<const std::byte> standard;               // empty in place
  std::span<const std::int64_t> standard_block_ids;  // pairwise to block_ids; empty in place
  std::uint64_t standard_num_blocks = 0;             // 0 in place
  std::span<std::byte> k_plane;
  std::span<std::byte> v_plane;
  std::span<const std::int64_t> block_ids;
  std::uint64_t num_blocks = 0;  // of each plane
};

// Converts the listed blocks and touches no other byte. Ids may be bad (negative, beyond the pool, listed
// twice): then it returns an Error and has written nothing.
using Convert = std::function<Expected<void>(const ConvertRequest&)>;

}  // namespace pageproof::golden
