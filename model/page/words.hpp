// When 32-bit element offsets stop being enough: blocks of a pool follow each other, so the last element of
// block b has offset (b + 1) · block_elements − 1, and the first block id of which some element wraps is
//
//   2^32 div block_elements  (unsigned)        2^31 div block_elements  (signed)
//
// The block is what the offset strides over: a page (both sides) or one plane's block (one side).
#pragma once

#include "model/page/fold.hpp"

namespace pageproof::page {

enum class Word : std::uint8_t { signed_32, unsigned_32 };

constexpr std::uint64_t first_unrepresentable(Word word) {
  return std::uint64_t{1} << (word == Word::signed_32 ? 31 : 32);
}

// @pre block_elements >= 1
template <class Number>
constexpr Number first_wrapping_block(const Number& block_elements, Word word) {
  return split(Number(first_unrepresentable(word)), block_elements).quotient;
}

}  // namespace pageproof::page
