// A run written down: in the Chrome trace form, which Perfetto opens (a row a request, one each for the
// transport and the device), and as the event log that `pageproof receive check` reads.
#pragma once

#include <string>
#include <vector>

#include "fuzz/receive/drive.hpp"

namespace pageproof::fuzz_receive {

std::string chrome_trace(const std::vector<Record>& records, const WorldOptions& options);

// One JSON object a line (docs/receive.md). Runs the records again to know what each event concerns.
std::string event_log(const std::vector<Record>& records, const WorldOptions& options);

}  // namespace pageproof::fuzz_receive
