// Every bit of a kernel's machine code, flipped by itself: the proof must break, or a rule must say why the
// flipped code is as good. The rules, of which the first three are read from the two texts:
//
//   same    it decodes to the same instruction: the bit has no meaning in the encoding
//   hint    only cache hints differ: which bytes are moved does not depend on them
//   idle    both are s_nop or the like, and the flipped one waits at least as long
//
// and the others are asked only of code that every launch in scope has proved, those with a block listed
// twice among them, and that waits as long as the original:
//
//   never   no launch in scope reaches it
//   wait    both are s_waitcnt, and every register is still waited for: the check of waits has held
//   unread  wherever it computes another value than the original, that value may be anything: every launch
//           is proved with it undefined
//   alike   in every launch it makes the same accesses to memory as the original, lane by lane and in the
//           same order, and ends
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "oracle/machine/prove.hpp"

namespace pageproof::machine {

enum class Rule : std::uint8_t { same, hint, idle, never, wait, unread, alike };
std::string to_string(Rule rule);

struct MutantOptions {
  std::vector<std::string> kernels;  // names or beginnings of names; empty: all
  std::uint64_t every = 1;           // take one bit of so many
  std::uint64_t first = 0;           // beginning with this one; shards begin at different ones
  std::uint32_t threads = 2;
  std::function<void(std::uint64_t done, std::uint64_t of)> progress = [](auto, auto) {};
};

struct Unexplained {
  std::uint64_t bit;
  std::string original;
  std::string mutant;
};

struct MutantResult {
  std::string target;
  std::string kernel;
  std::uint64_t bits = 0;
  std::map<Check, std::uint64_t> refuted;   // by what
  std::map<Rule, std::uint64_t> explained;  // by what
  std::vector<Unexplained> unexplained;
  double seconds = 0;
};

Expected<std::vector<MutantResult>> flip_bits(std::span<const Image> images, const MutantOptions& options);

}  // namespace pageproof::machine
