// May a run be judged? Each check adds findings to the run; what it rests on is in the finding. Rules: the
// spec of the go/no-go, "Run validity"; those over several runs of a cell are the judge's.
#pragma once

#include <vector>

#include "reports/results/read.hpp"
#include "reports/results/run.hpp"

namespace pageproof::results {

// completed > 0; failed within the ratio; latencies and rates finite and above 0; counts that fit one another
// and the tags isl and osl; rates that fit counts and duration; percentiles in order.
void check_run(Run& run, const ReadOptions& options);

// Rules of requests make no sense of step times.
bool has_requests(const Run& run);

// Seconds taken for milliseconds, or the other way round, where a relation between values of the run proves
// it: end-to-end latency = TTFT + (output tokens - 1) x TPOT; with all requests sent at once some request is
// running at every moment, so their latencies add up to no less than the duration; never more run than may; a
// chunk has a token or a few, so ITL is TPOT or a few times it.
void check_units(Run& run);

// What makes two runs the same one, of what the file says itself and no mapping: date and duration; without a
// date, all its numbers and texts.
std::string fingerprint_of(const Run& run);
// All but the first of runs with an equal fingerprint.
void mark_duplicates(std::vector<Run>& runs);

}  // namespace pageproof::results
