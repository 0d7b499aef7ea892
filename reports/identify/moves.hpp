// What a format says about bytes: this byte of a dumped block is that byte of the reference's block. The list
// is made once for a shape and compared for every block, in the largest unit that moves whole (16 bytes where
// granules do).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "reports/identify/placing.hpp"

namespace pageproof::reports {

struct Move {
  std::uint32_t file = 0;       // byte of the dump's slot
  std::uint32_t reference = 0;  // byte of the reference's block (both slots in a row)
};

struct MoveList {
  std::uint64_t unit_bytes = 1;
  std::vector<Move> moves;  // by the dump's byte, ascending

  std::uint64_t bytes() const { return moves.size() * unit_bytes; }
};
using SlotMoves = std::array<MoveList, 2>;

// The dump's blocks and the reference's hold the same tokens in groups: one block each where both have N
// tokens; m blocks of the one in a block of the other where N differs.
struct Grouping {
  std::uint64_t file_tokens = 0;       // N of the dump's blocks
  std::uint64_t reference_tokens = 0;  // N of the reference's blocks; one divides the other

  std::uint64_t group_tokens() const {
    return file_tokens > reference_tokens ? file_tokens : reference_tokens;
  }
  std::uint64_t file_blocks() const { return group_tokens() / file_tokens; }
  std::uint64_t reference_blocks() const { return group_tokens() / reference_tokens; }
};

// Of one side, for each block of the dump's group. Reference bytes count through the group's blocks.
std::vector<SlotMoves> moves_of(const Placing& file, const Placing& reference, const Grouping& grouping,
                                Side side);

// A list from the byte of the reference that belongs at each of the dump's atoms; kNothing: none does.
inline constexpr std::uint32_t kNothing = UINT32_MAX;
MoveList moves_from(std::span<const std::uint32_t> reference_byte_of_atom, std::uint64_t atom_bytes);

// A byte out of place.
struct Mismatch {
  std::uint64_t file_block = 0;  // position in the dump
  std::size_t slot = 0;
  std::uint64_t file_byte = 0;        // in that slot
  std::uint64_t reference_block = 0;  // position of its group in the reference
  std::uint64_t reference_byte = 0;   // in that group
  std::uint8_t expected = 0;
  std::uint8_t got = 0;
};

struct Count {
  std::uint64_t tested = 0;  // bytes
  std::uint64_t in_place = 0;
  std::optional<Mismatch> first;  // in the dump's order

  void add(const Count& other);
};

// Compares one slot with one block of the reference; `where` names both for a mismatch.
void compare(const MoveList& list, const std::byte* file_slot, const std::byte* reference,
             const Mismatch& where, Count& count);

}  // namespace pageproof::reports
