// Where a format puts each element of a block, as a function that is quick to ask: an offset in an order of
// digits is a sum of one term an axis, so a block's whole map is three short tables a side.
//
//   position(side, head, token, row byte) = head[h] + token[t] + dim[byte of the row]
//
// Positions count bytes through the block's two slots: 0 to S - 1 in the first, S to 2S - 1 in the second. A
// planes format has its K plane in the first slot and its V plane in the second.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/page/format.hpp"

namespace pageproof::reports {

// Ways to read a format's line other than the shape's own: a granule of x elements as if elements had another
// size, or the row of D elements of e bytes as a row of other elements.
struct Reading {
  std::uint64_t granule_elements = 0;  // what x stands for; 0: the shape's
  std::uint64_t element_bytes = 0;     // e of the reader; 0: the shape's
};

struct SidePlacing {
  bool present = false;  // K-only formats have no V
  std::vector<std::uint64_t> head;
  std::vector<std::uint64_t> token;
  std::vector<std::uint64_t> dim;  // by atom of the row
};

struct Placing {
  std::uint64_t atom_bytes = 1;  // bytes that stay together; positions are multiples of it
  std::uint64_t slot_bytes = 0;  // S
  std::array<SidePlacing, 2> sides;
  bool slots_exchanged = false;
  std::shared_ptr<const std::vector<std::uint32_t>> then;  // a further permutation of the atoms; null: none

  const SidePlacing& of(Side side) const { return sides[static_cast<std::size_t>(side)]; }
  std::uint64_t row_atoms() const { return sides[0].dim.size(); }

  std::uint64_t position(Side side, std::uint64_t head, std::uint64_t token, std::uint64_t atom) const {
    const SidePlacing& at = of(side);
    std::uint64_t byte = at.head[head] + at.token[token] + at.dim[atom];
    if (slots_exchanged) byte = byte < slot_bytes ? byte + slot_bytes : byte - slot_bytes;
    return then == nullptr ? byte : (*then)[byte / atom_bytes] * atom_bytes;
  }
};

// Refused where the format does not fit the shape as read; the error is the rule and the value.
Expected<Placing> placing_of(const page::PageFormat& format, const Shape& shape, const Reading& reading = {});

// The block's atoms moved as a converter from `source` to `target` moves them: atom i of the source's block
// is atom result[i] of the target's. Applied to bytes that are no block of `source`, it is what that
// converter does to them all the same.
// @pre equal shapes and atoms, both with two sides
std::vector<std::uint32_t> conversion(const Placing& source, const Placing& target);

// Do both put every element of that side at the same position?
bool same_positions(const Placing& a, const Placing& b, Side side);

// K lies in one slot and V in the other.
bool slots_are_sides(const Placing& placing);

// "[H, D/x, N, x]": the order as the axes of an array, outermost first.
std::string bracketed(const page::DigitOrder& order);

}  // namespace pageproof::reports
