// From placed runs to the repeats of each metric, by cell and setup.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "reports/gonogo/judge.hpp"

namespace pageproof::gonogo {

// Cells that were seen and cells that were planned, in order. Runs of one output token make no cell: what
// they measure is prefill throughput, and they give it to the cells of the same model, workload, P:D, isl and
// load.
std::vector<Cell> sampled_cells(std::span<const Placed> runs, std::span<const Planned> plan, const Keys& keys,
                                const Choices& choices);

// Sample deviation of each cell's repeats as a share of their mean, pooled by degrees of freedom; repeats
// that are further apart than numbers of one unit are left out.
std::vector<Noise> noise_of(std::span<const Cell> cells);

}  // namespace pageproof::gonogo
