// What a client's clock alone tells of the decoder: how many requests it decoded at once, and which gaps
// between tokens another request's arrival stretched. A conversion on the step path shows in the second: the
// mean of the gaps that a first token of another request fell into, less the mean of the others (spec of the
// go/no-go, ITL of other running requests).
#pragma once

#include <cstddef>
#include <optional>

#include "reports/results/run.hpp"

namespace pageproof::results {

// Requests between their first and their last token, over time: from the first such moment of the run to the
// last. nullopt where the file has no start times, or nothing succeeded.
std::optional<DecodeBatch> decode_batch(const Detailed& detailed);

// The same from aggregates (Little's law): output tokens a second x mean TPOT, or the median where
// the file has no mean. nullopt: a metric is missing.
std::optional<double> decode_batch_by_rate(const Run& run);

// A gap of a request is interfered where another request's first token comes in it, or within `step_s` after
// its end: the decoder converts before the step that yields it. step_s: default 1.5 times the median gap of
// the requests that succeeded, a step and what it may take longer. nullopt as above.
std::optional<GapSplit> split_gaps(const Detailed& detailed, std::optional<double> step_s = {});

}  // namespace pageproof::results
