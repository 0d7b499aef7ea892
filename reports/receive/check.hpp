// Does the log of a connector keep the rules of the receive path? The first that is broken is named, with the
// lines that prove it and, where an order is missing, the edge that would give it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/receive/event.hpp"

namespace pageproof::receive_log {

struct Broken {
  std::string rule;                // as the model names it, or read_not_fenced
  std::string claim;               // in a sentence
  std::string what;                // "request 7: block 3 layer 1 was not converted"
  std::string missing = {};        // the edge that is not there; empty where it is no matter of order
  std::vector<std::size_t> lines;  // of the log, in order
  std::size_t unread = 0;          // a line before them that could not be used; 0: none
};

inline constexpr std::size_t kShownRefusals = 20;

struct Checked {
  std::optional<Broken> broken;
  std::vector<Error> refused = {};      // the first kShownRefusals lines in which something is wrong
  std::uint64_t refused_lines = 0;      // how many there are
  std::optional<Error> truncated = {};  // a last line without its end, left out
  std::uint64_t events = 0;
  std::uint64_t requests = 0;
  std::uint64_t reads = 0;
  std::uint64_t conversions = 0;
  std::uint64_t steps = 0;
  std::uint64_t untold = 0;   // requests that were freed and whose prefill was not told: its lease has to end
  std::uint64_t doubted = 0;  // requests that a refused line is about: not judged from there on

  bool complete() const { return refused_lines == 0 && !truncated; }
};

// Refused, beside what no Reader takes: an id that was never allocated, a handle that was never posted, an
// event that was never recorded, more streams than kMostStreams. What a refused line is about is known by its
// request alone: that one is not judged any more, everything else is.
Checked check_log(std::string_view text, const std::string& subject);

}  // namespace pageproof::receive_log
