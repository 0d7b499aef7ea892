// The landing: where a remote page's bytes lie after the READ and before the conversion. It is no order of
// digits (an odd head count tears a head), but a function of the byte over the standard order:
//
//   byte p of a page of 2S bytes  ->  K-plane block, byte p        where p < S
//                                     V-plane block, byte p − S    where p >= S
//
// Source: the byte-half contract, RFC §3.
#pragma once

#include "model/page/fold.hpp"
#include "model/page/format.hpp"

namespace pageproof::page {

// One division by S: the quotient names the plane (0: K, 1: V), the remainder is the byte in its block. A
// template over the number type, so that a solver can read it too.
// @pre page_byte < 2S
template <class Number>
constexpr Split<Number> landed(const Number& page_byte, const Number& side_bytes) {
  return split(page_byte, side_bytes);
}

constexpr Place landing(const Shape& shape, std::uint64_t page_byte) {
  const Split<std::uint64_t> parts = landed(page_byte, shape.side_bytes());
  return {static_cast<Side>(parts.quotient), parts.remainder};
}

// The READ of one page is two descriptors: half j of remote page r (base R, page 2S) goes to block l of local
// plane j (base P_j, block S). First bytes of both; each is S bytes long.
template <class Number>
constexpr Number remote_half(const Number& base, const Number& block, const Number& half,
                             const Number& side_bytes) {
  return base + block * (Number(2) * side_bytes) + half * side_bytes;
}
template <class Number>
constexpr Number local_half(const Number& plane_base, const Number& block, const Number& side_bytes) {
  return plane_base + block * side_bytes;
}

// Two other ways to read the same pages.
//
// Staged: whole pages lie one behind the other, those of a layer together. Byte p of page i of layer l:
template <class Number>
constexpr Number staged(const Number& staging_base, const Number& layer, const Number& page,
                        const Number& pages_of_layer, const Number& page_byte, const Number& page_bytes) {
  return staging_base + (layer * pages_of_layer + page) * page_bytes + page_byte;
}

// Run halves: the bytes of m consecutive pages are cut in the middle, not those of each page. Byte q of the
// run (q < 2mS) lies in half q / mS at byte q % mS, and half j of the run goes to m consecutive blocks of
// local plane j. First bytes of both; each is mS bytes long. For m = 1 this is the landing.
template <class Number>
constexpr Number remote_run_half(const Number& base, const Number& first_block, const Number& half,
                                 const Number& blocks, const Number& side_bytes) {
  return base + first_block * (Number(2) * side_bytes) + half * (blocks * side_bytes);
}
template <class Number>
constexpr Split<Number> run_landed(const Number& run_byte, const Number& blocks, const Number& side_bytes) {
  return split(run_byte, blocks * side_bytes);
}

// Where the element at a coordinate has landed, from the base of its plane.
inline Place landing_of(const Shape& shape, const Coordinate& coordinate) {
  static const PageFormat* const standard = *find_format("standard");
  Coordinate first_block = coordinate;
  first_block.block = 0;
  Place place = landing(shape, locate(*standard, shape, first_block).byte);
  place.byte += coordinate.block * shape.side_bytes();
  return place;
}

}  // namespace pageproof::page
