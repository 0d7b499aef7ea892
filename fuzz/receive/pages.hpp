// Real bytes under the simulated device: the shuffled planes of a small pool, layer by layer, which reads
// land in, the production converter rewrites and decode steps read.
//
// A page carries its own coordinates: element i of a standard page is i xor a salt that names the request,
// the block and the layer. What a decode step has to find is the same page written by the oracle, with the
// same salt.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/page/plain/shape.hpp"

namespace pageproof::fuzz_receive {

inline constexpr Shape kShape{.heads = 2, .tokens = 16, .head_dim = 64, .element_bytes = 2};

// 16 bits that differ for neighbours in each of the three.
std::uint16_t salt_of(std::uint64_t request, std::uint64_t block_of_request, std::uint64_t layer);

class Pages {
 public:
  Pages(std::uint32_t blocks, std::uint32_t layers);

  void zero(std::uint32_t block);
  // Part `part` of `parts` of a remote page lands, in halves (RFC §3).
  void land(std::uint32_t block, std::uint32_t layer, std::uint16_t salt, std::uint32_t part,
            std::uint32_t parts);
  // The production converter, in place. False where it refuses.
  bool convert(std::span<const std::int32_t> blocks, std::uint32_t layer);
  // What a local prefill writes: the shuffled page itself.
  void write(std::uint32_t block, std::uint32_t layer, std::uint16_t salt);
  // What a decode step writes: its token, the last of a partial block, into the shuffled page.
  void append(std::uint32_t block, std::uint32_t layer, std::uint16_t salt);
  // First byte of the block's two sides that differs from what should lie there, or -1.
  enum class Content : std::uint8_t { landed, shuffled, appended };
  std::int64_t differs(std::uint32_t block, std::uint32_t layer, std::uint16_t salt, Content content) const;

 private:
  std::uint16_t* side(std::uint32_t block, std::uint32_t layer, int which);
  const std::uint16_t* side(std::uint32_t block, std::uint32_t layer, int which) const;

  std::uint32_t blocks_;
  std::uint32_t layers_;
  std::vector<std::uint16_t> planes_;    // [layer][K, V][block][S / 2]
  std::vector<std::uint16_t> standard_;  // the page of salt 0 as it lands: element i is i
  std::vector<std::uint16_t> shuffled_;  // the same by the oracle's writer, K side then V side
  std::vector<std::uint16_t> appended_;  // the same with a decode step's token
  std::vector<std::uint32_t> token_;     // elements of that token
};

}  // namespace pageproof::fuzz_receive
