// A vector operation on whole waves: one function of numbers for the lanes that hold numbers (a plain loop
// over 64 of them, whatever the mask of active lanes), one of words for active lanes that hold data.
#pragma once

#include <array>
#include <utility>

#include "oracle/machine/wave.hpp"

namespace pageproof::machine {

// Operand 0 is written, operands 1 ... kSources are read.
template <std::size_t kSources, class OnNumbers, class OnWords>
void lanewise(Wave& wave, const Instruction& instruction, OnNumbers on_numbers, OnWords on_words) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    std::array<LaneValues, kSources> broadcast;
    const std::array<Source, kSources> source{wave.source(instruction.operand[i + 1], broadcast[i])...};
    const LaneMask words = (source[i].not_numbers | ...) & wave.exec();
    LaneValues values{};
    if (words != wave.exec() || words == 0) {
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) values[lane] = on_numbers(source[i].value[lane]...);
    }
    if (words == 0) {
      wave.write_values(instruction.operand[0], values);
      return;
    }
    // All results before the first is written: the destination may be a source.
    std::array<Word, kLanes> results;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (has_lane(words, lane)) results[lane] = on_words(source[i].at(lane)...);
    }
    wave.write_values(instruction.operand[0], values);
    VectorRegister& destination = wave.set_vector(instruction.operand[0]);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (has_lane(words, lane)) destination.set(lane, results[lane]);
    }
  }(std::make_index_sequence<kSources>{});
}

// Of numbers only: data in an active lane is refuted, what is undefined stays so.
template <std::size_t kSources, class OnNumbers>
void lanewise_numbers(Wave& wave, const Instruction& instruction, OnNumbers on_numbers) {
  lanewise<kSources>(wave, instruction, on_numbers,
                     [](const auto&... words) { return arithmetic(words...); });
}

// The active lanes' numbers of a 64-bit vector operand, and which of them are undefined.
struct Source64 {
  std::array<std::uint64_t, kLanes> value;
  LaneMask undefined;
};
inline Source64 source64(const Wave& wave, const Operand& operand) {
  LaneValues broadcast[2];
  const Source low = wave.source(operand, broadcast[0], 0);
  const Source high = wave.source(operand, broadcast[1], 1);
  Source64 both{{}, (low.not_numbers | high.not_numbers) & wave.exec()};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    both.value[lane] = std::uint64_t{high.value[lane]} << 32 | low.value[lane];
    if (has_lane(both.undefined, lane)) arithmetic(low.at(lane), high.at(lane));
  }
  return both;
}

// The active lanes become these numbers, or undefined.
inline void write64(Wave& wave, const Operand& operand, const std::array<std::uint64_t, kLanes>& values,
                    LaneMask undefined) {
  for (std::uint32_t part = 0; part < 2; ++part) {
    LaneValues half;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      half[lane] = static_cast<std::uint32_t>(values[lane] >> 32 * part);
    wave.write_values(operand, half, part);
    wave.set_vector(operand, part).undefined |= undefined & wave.exec();
  }
}

}  // namespace pageproof::machine
