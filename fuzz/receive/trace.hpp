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

}  // namespace pageproof::fuzz_receive
