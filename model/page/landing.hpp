// The landing: where a remote page's bytes lie after the READ and before the conversion. It is no order of
// digits (an odd head count tears a head), but a function of the byte over the standard order:
//
//   byte p of a page of 2S bytes  ->  K-plane block, byte p        where p < S
//                                     V-plane block, byte p − S    where p >= S
//
// Source: the byte-half contract, RFC §3.
#pragma once

#include "model/page/format.hpp"

namespace pageproof::page {

constexpr Place landing(const Shape& shape, std::uint64_t page_byte) {
  const std::uint64_t side_bytes = shape.side_bytes();
  if (page_byte < side_bytes) return {Side::key, page_byte};
  return {Side::value, page_byte - side_bytes};
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
