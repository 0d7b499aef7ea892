// Real bytes under the simulated device: the shuffled planes of a small pool, layer by layer, which reads
// land in, the production converter rewrites and decode steps read.
//
// A page carries its own coordinates: element i of a standard page is i xor a salt that names the prompt, the
// block of it and the layer. What a decode step has to find is the same page written by the oracle, with the
// same salt.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/page/plain/shape.hpp"

namespace pageproof::fuzz_receive {

inline constexpr Shape kShape{.heads = 2, .tokens = 16, .head_dim = 64, .element_bytes = 2};
inline constexpr std::uint32_t kPageElements = static_cast<std::uint32_t>(kShape.page_bytes() / 2);
inline constexpr std::uint16_t kAppended = 0xFFFF;  // xor the salt: an element that a decode step writes

// 16 bits that differ for neighbours in each of the three.
std::uint16_t salt_of(std::uint64_t prompt, std::uint64_t block_of_prompt, std::uint64_t layer);

// Tokens of a block that decode steps have written: [first, first + count).
struct Written {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

class Pages {
 public:
  Pages(std::uint32_t blocks, std::uint32_t layers);

  void zero(std::uint32_t block);
  // Elements [from, to) of a remote page land, in halves (RFC §3). A matching pair's page is shuffled
  // already.
  void land(std::uint32_t block, std::uint32_t layer, std::uint16_t salt, std::uint32_t from,
            std::uint32_t to, bool shuffled);
  // The production converter, in place. False where it refuses.
  bool convert(std::span<const std::int32_t> blocks, std::uint32_t layer);
  // What a local prefill writes: the shuffled page itself.
  void write(std::uint32_t block, std::uint32_t layer, std::uint16_t salt);
  // What a decode step writes: its token, into the shuffled page.
  void append(std::uint32_t block, std::uint32_t layer, std::uint16_t salt, std::uint32_t token);
  // First byte of the block's two sides that differs from what should lie there, or -1.
  std::int64_t differs(std::uint32_t block, std::uint32_t layer, std::uint16_t salt, Written written) const;

  std::span<const std::uint16_t> side(std::uint32_t block, std::uint32_t layer, int which) const;

 private:
  std::uint16_t* at(std::uint32_t block, std::uint32_t layer, int which);

  std::uint32_t blocks_;
  std::uint32_t layers_;
  std::vector<std::uint16_t> planes_;    // [layer][K, V][block][S / 2]
  std::vector<std::uint16_t> standard_;  // the page of salt 0 as it lands: element i is i
  std::vector<std::uint16_t> shuffled_;  // the same by the oracle's writer, K side then V side
  std::vector<std::uint32_t> tokens_;    // of each token, where its elements lie in the shuffled page
};

}  // namespace pageproof::fuzz_receive
