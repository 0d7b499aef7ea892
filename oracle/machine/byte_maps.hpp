// Tables f of 256 entries for bytes that are f(input byte i): how an element's bits may be rewritten on the
// way, and the proof still be one for all data. Tables compose: an operation on bytes of one input byte, or
// of one and constants, is again a table. A table whose entries are all the same is a constant, and the
// identity is the byte itself, so what two ways of computing give is equal where the tables are.
//
// Launches that only move bytes run without: there the first table would already be a fault.
#pragma once

#include <array>
#include <cstdint>

#include "oracle/machine/word.hpp"

namespace pageproof::machine {

using ByteMap = std::array<std::uint8_t, 256>;

// Allows tables, in this thread, for as long as it lives.
class AllowRewrites {
 public:
  explicit AllowRewrites(bool allowed);
  ~AllowRewrites();
  AllowRewrites(const AllowRewrites&) = delete;
  AllowRewrites& operator=(const AllowRewrites&) = delete;

 private:
  bool before;
};

// f(input byte `index`). Refuted where a launch needs more than 255 tables.
Byte mapped(std::uint32_t index, const ByteMap& map);

// Sums of words whose carries from byte to byte are the same for all data; others are refuted.
Word add_words(const Word& a, const Word& b);
Word subtract_words(const Word& a, const Word& b);

}  // namespace pageproof::machine
