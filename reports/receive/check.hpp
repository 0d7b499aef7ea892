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
  std::string rule;                // as the model names it, or one of logs alone (log_rules.hpp)
  std::string claim;               // in a sentence
  std::string what;                // "request 7: block 3 layer 1 was not converted"
  std::string missing = {};        // the edge that is not there; empty where it is no matter of order
  std::vector<std::size_t> lines;  // of the log, in order
  std::size_t unread = 0;          // a line before them that could not be used; 0: none
};

// What the end of the log leaves open: leaks, or a log that was cut.
struct Open {
  const char* what;         // "requests never freed"
  std::uint64_t count = 0;  // 0: nothing of the kind
  std::size_t line = 0;     // of the first
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
  std::uint64_t doubted = 0;  // requests that a refused line is about: not judged from there on
  Open unfreed{"requests never freed"};
  Open unended{"reads never seen to end"};
  Open untold{"prefills never told, whose pages wait for the lease"};

  bool complete() const { return refused_lines == 0 && !truncated; }
};

// Refused, beside what no Reader takes: an id that was never allocated, a handle that was never posted, an
// event that was never recorded, more threads and streams than kMostChains. What a refused line is about is
// known by its request alone: that one is not judged any more, everything else is.
Checked check_log(std::string_view text, const std::string& subject);

}  // namespace pageproof::receive_log
