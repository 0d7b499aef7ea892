// What a fuzzing target is: one function from bytes to nothing that aborts where a law of its decoder is
// broken. A target is linked with libFuzzer (libfuzzer.cpp) or with a program that reads files (replay.cpp).
//
// Every target holds its decoder to the same laws: whatever the bytes are, the answer is a value or one line
// that names the field; what was decoded comes back equal when it is encoded and decoded again; and decoding
// takes no more memory than a constant factor of the input.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "fuzz/decoders/memory.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::fuzz {

using Bytes = std::span<const std::byte>;

// Defined once a target.
void decode_one(Bytes input);

// Says which law is broken, and aborts.
void must(bool holds, std::string_view law);

// One line of UTF-8 of bounded length that names what is wrong, and the field of the input or the option.
void must_be_one_line(const Error& error);

// Live bytes that decoding `input` may take at its peak: a JSON value takes 16 bytes, an object's member
// about 100, both for an input of 1 to 3 bytes, and a document is parsed twice at most.
constexpr std::size_t most_memory(Bytes input) {
  return (std::size_t{64} << 10) + 400 * input.size();
}

// The decoder's answer, with its memory and its error judged.
template <class Decode>
auto decoded(Bytes input, const Decode& decode) {
  memory::start();
  auto answer = decode();
  must(memory::peak() <= most_memory(input), "decoding takes no more memory than the input justifies");
  if (!answer) must_be_one_line(answer.error());
  return answer;
}

inline std::string_view text_of(Bytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

}  // namespace pageproof::fuzz
