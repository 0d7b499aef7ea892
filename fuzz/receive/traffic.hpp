// Who comes, and with which blocks: prompts that share beginnings, whole and partial last blocks, requests
// that were preempted and come again, over a pool that keeps freed blocks until they are given to others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fuzz/receive/world.hpp"

namespace pageproof::fuzz_receive {

class Traffic {
 public:
  Traffic(std::uint32_t faults, rx::Guard without) : faults_(faults), without_(without) {}

  // An arrival, and in `blocks` the blocks that the scheduler gives it: as many of its prompt's first blocks
  // as are here and ready, and free ones for the rest. Nothing where there are too few, or where it has
  // just been decided that nobody comes. Without the guard of a choice, blocks that it would have kept off.
  std::optional<Arrival> next(const World& world, std::uint32_t id, Dice& dice, Record& blocks);
  void comes_again(const Prompt& prompt) { again_.push_back(prompt); }

 private:
  void look_around(const World& world, const Prompt& prompt);

  std::uint32_t faults_;
  rx::Guard without_;
  std::vector<Prompt> again_;
  std::vector<std::uint16_t> free_;
  std::vector<int> here_;  // of each block of the prompt, where it is, or -1
};

}  // namespace pageproof::fuzz_receive
