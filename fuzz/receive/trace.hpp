// A run written down, from what the world says of itself: in the Chrome trace form, which Perfetto opens (a
// row a slot, one for the wire, one a stream), and as the event log that `pageproof receive check` reads. The
// log holds what the worker did, with the blocks that were really passed: no wait that nobody waited.
#pragma once

#include <string>
#include <vector>

#include "fuzz/receive/drive.hpp"

namespace pageproof::fuzz_receive {

std::string chrome_trace(const std::vector<Record>& records, const WorldOptions& options);

// One JSON object a line (docs/receive.md). Both run the records again.
std::string event_log(const std::vector<Record>& records, const WorldOptions& options);

// What a log shows of a guard that is left out: the rule that `receive check` names, or why it cannot.
struct Shown {
  rx::Guard guard;
  std::string_view rule;  // of the checker; empty: no log shows it
  std::string_view why;   // where no log does
};
const std::vector<Shown>& shown_table();  // a row for every guard

}  // namespace pageproof::fuzz_receive
