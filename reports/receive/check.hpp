// Does the log of a connector keep the rules of the receive path? The first that is broken is named, with the
// lines that prove it and, where an order is missing, the edge that would give it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/receive/event.hpp"

namespace pageproof::receive_log {

struct Broken {
  std::string rule;                // as the model names it, or read_not_fenced
  std::string claim;               // in a sentence
  std::string what;                // "request 7: block 3 layer 1 was not converted"
  std::string missing = {};        // the edge that is not there; empty where it is no matter of order
  std::vector<std::size_t> lines;  // of the log, in order
};

struct Checked {
  std::optional<Broken> broken;
  std::uint64_t events = 0;
  std::uint64_t requests = 0;
  std::uint64_t reads = 0;
  std::uint64_t conversions = 0;
  std::uint64_t steps = 0;
  std::uint64_t untold = 0;  // requests that were freed and whose prefill was not told: its lease has to end
};

// Refused: an id that was never allocated, a handle that was never posted, an event that was never recorded.
Expected<Checked> check_log(const Log& log, const std::string& subject);

}  // namespace pageproof::receive_log
