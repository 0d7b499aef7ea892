// What a job must fulfil before anything is written, in two steps: what its own fields say, for every memory;
// and what the tables, the block ids and the layer bases say, which only host memory lets us read.
#pragma once

#include "kernels/convert/launch.hpp"

namespace pageproof::convert {

// The first bound that is broken, in the order of pageproof_status. Reads nothing but *job.
pageproof_status check_arguments(const pageproof_job* job, Direction direction);

// Layer bases, block ids, overlap. `job` has passed check_arguments and lies in host memory. May throw
// std::bad_alloc: it keeps one interval a block.
pageproof_status check_memory(const pageproof_job& job, Direction direction);

}  // namespace pageproof::convert
