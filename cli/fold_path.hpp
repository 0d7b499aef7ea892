// Conversions through the model's fold: slower than the converter, right for every pair of formats and every
// shape.
#pragma once

#include "cli/movement.hpp"

namespace pageproof::cli {

// On the request's threads, each its part of the block ids.
Expected<void> fold_pages(const MoveRequest& request, const page::PageFormat& from,
                          const page::PageFormat& to, const page::ConstRegions& source,
                          const page::MutableRegions& destination);

// The planes hold the landing of the listed blocks; afterwards the same bytes hold them shuffled.
Expected<void> fold_in_place(const MoveRequest& request, std::span<std::byte> keys,
                             std::span<std::byte> values);

}  // namespace pageproof::cli
