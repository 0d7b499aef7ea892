// Several stores that may have left their bytes in one slot of a dump: each byte is explained when it is what
// one of them stores there.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "reports/identify/moves.hpp"
#include "reports/identify/scene.hpp"

namespace pageproof::reports {

// A store that may have left its bytes in a slot.
struct Store {
  const MoveList* list = nullptr;
  std::uint64_t reference_block = 0;
  Side side = Side::key;
  std::uint32_t number = 0;  // which of the accident's stores, for what is said of it
};

// The stores into the slot of that number; none: the accident does not write it.
using StoresOf = std::function<std::vector<Store>(std::uint64_t slot_number)>;

struct Outcome {
  std::array<Count, 2> count;
  std::uint64_t telling = 0;             // bytes that the accident explains and the format itself does not
  std::vector<std::uint64_t> explained;  // bytes by the store's number
  std::vector<std::uint64_t> possible;   // bytes that the store writes

  bool explains() const {
    return count[0].in_place == count[0].tested && count[1].in_place == count[1].tested;
  }
  bool holds() const { return explains() && telling > 0; }
  void add(const Outcome& other);
};

// Judges one slot. `own` are the format's stores without the accident: a byte that is what they leave speaks
// for no accident. `marks` is scratch of the slot's size.
void judge_slot(const std::byte* slot, std::span<const Store> stores, std::span<const Store> own,
                ReferenceBlocks& reference, std::vector<std::uint8_t>& marks, Outcome& outcome);

}  // namespace pageproof::reports
