// Registers of a wave of 64 lanes. A lane of a vector register is mostly a number (addresses, indices), and
// then one of 64 in an array that the compiler can vectorize over; where it holds data, it is four bytes.
#pragma once

#include <array>
#include <cstdint>

#include "oracle/machine/word.hpp"

namespace pageproof::machine {

inline constexpr std::uint32_t kLanes = 64;
using LaneValues = std::array<std::uint32_t, kLanes>;
using LaneMask = std::uint64_t;  // bit l: lane l

inline constexpr bool has_lane(LaneMask mask, std::uint32_t lane) {
  return (mask >> lane & 1) != 0;
}

struct VectorRegister {
  VectorRegister() {
  }  // NOLINT: leaves the arrays as they are, of which no lane is looked at before it is set

  LaneValues value;       // of lanes that are in neither mask
  LaneMask in_words = 0;  // lanes whose bytes are in `word`
  LaneMask undefined = ~LaneMask{0};
  std::array<Word, kLanes> word;

  LaneMask not_numbers() const { return in_words | undefined; }

  Word at(std::uint32_t lane) const {
    if (has_lane(in_words, lane)) return word[lane];
    return has_lane(undefined, lane) ? kUndefinedWord : word_of(value[lane]);
  }
  void set(std::uint32_t lane, const Word& w) {
    const LaneMask bit = LaneMask{1} << lane;
    undefined &= ~bit;
    if (is_known(w)) {
      in_words &= ~bit;
      value[lane] = value_of(w);
    } else {
      in_words |= bit;
      word[lane] = w;
    }
  }
};

// A scalar register holds no data: what is loaded into one must be known, or it is refuted.
struct ScalarRegister {
  std::uint32_t value = 0;
  bool defined = false;
};

// One bit; undefined after an operation on what is undefined.
struct Condition {
  bool value = false;
  bool defined = false;
};

}  // namespace pageproof::machine
