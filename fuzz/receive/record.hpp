// What a run is made of: moves, one after the other, each of one actor. The worker takes a step of the model,
// the wire carries a piece of a READ or a notice, the device carries out a piece of a kernel, a prefill dies
// or moves its pages. A run is its moves, and any part of them is a run too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/receive/block_steps.hpp"
#include "model/receive/names.hpp"

namespace pageproof::fuzz_receive {

namespace rx = pageproof::receive;

enum class Move : std::uint8_t {
  arrival,       // a new request comes to the slot
  step,          // of the model: of the worker, the scheduler, the handshake or the lease
  piece,         // the wire carries the next piece of a READ
  read_breaks,   // the wire gives a READ up, wherever it is
  delivered,     // the prefill gets a notice
  lost,          // the notice does not arrive
  copied,        // the wire has a second copy of the notice
  tick,          // the device carries out the next piece of a stream's first kernel
  peer_dies,     // READs from it break, its pages are gone
  peer_returns,  // with regions registered anew
  peer_moves,    // its pages lie elsewhere, registered anew: what is known of them is stale
};

// The prompt says what a block holds: block i of two requests with the same prompt is the same page.
struct Prompt {
  std::uint32_t number = 0;
  std::uint16_t tokens = 1;

  std::uint32_t blocks(std::uint32_t block_tokens) const {
    return (tokens + block_tokens - 1) / block_tokens;
  }
  friend bool operator==(const Prompt&, const Prompt&) = default;
};

struct Arrival {
  rx::Life<int> life{};
  Prompt prompt;
  std::uint16_t peer = 0;
  bool resumed = false;  // was preempted before
};

struct Record {
  std::uint32_t request = 0;
  std::uint16_t slot = 0;
  Move move = Move::step;
  rx::Step step = rx::Step::forward;
  std::uint16_t handle = 0;                // of a READ; tick: the stream; peer_...: the peer
  std::vector<std::uint16_t> own = {};     // allocate: blocks to fill
  std::vector<std::uint16_t> shared = {};  // allocate: blocks that are here already
  std::optional<Arrival> arrival = {};
};

// "request 3 allocate blocks 4,7"
std::string to_string(const Record& record);

// SplitMix64: the same numbers on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t roll() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((roll() >> 32) * n >> 32); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace pageproof::fuzz_receive
