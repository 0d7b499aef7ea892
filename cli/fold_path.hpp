// Conversions through the model's fold: slower than the converter, right for every shape.
#pragma once

#include "cli/movement.hpp"

namespace pageproof::cli {

Expected<void> fold_to_planes(const MoveRequest& request, std::span<const std::byte> pages,
                              std::span<std::byte> keys, std::span<std::byte> values);

// The planes hold the landing of the listed blocks; afterwards the same bytes hold them shuffled.
Expected<void> fold_in_place(const MoveRequest& request, std::span<std::byte> keys,
                             std::span<std::byte> values);

Expected<void> fold_to_standard(const MoveRequest& request, std::span<const std::byte> keys,
                                std::span<const std::byte> values, std::span<std::byte> pages);

}  // namespace pageproof::cli
