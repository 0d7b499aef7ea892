// A target under libFuzzer.
#include <cstdint>

#include "fuzz/decoders/decoder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pageproof::fuzz::decode_one(std::as_bytes(std::span(data, size)));
  return 0;
}
