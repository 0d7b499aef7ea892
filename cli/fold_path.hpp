// Conversions through the model's fold: slower than the converter, right for every pair of formats and every
// shape.
#pragma once

#include "cli/movement.hpp"

namespace pageproof::cli {

// On the request's threads, each its part of the block ids.
Expected<void> fold_pages(const MoveRequest& request, const page::PageFormat& from,
                          const page::PageFormat& to, const page::ConstRegions& source,
                          const page::MutableRegions& destination);

// The planes hold the landing of the listed blocks, of pages `from`; afterwards the same bytes hold them
// shuffled.
Expected<void> fold_in_place(const MoveRequest& request, const page::PageFormat& from,
                             std::span<std::byte> keys, std::span<std::byte> values);

// The listed blocks of a region: e4m3 codes become e4m3fnuz codes, in the oracle's words.
void rewrite_blocks(const MoveRequest& request, std::span<std::byte> region, std::uint64_t block_bytes);

}  // namespace pageproof::cli
