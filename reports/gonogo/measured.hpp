// Small measurements made by hand: runs of a few setups in a few cells, with the values that decide. For the
// laws and the tests, which change one thing each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/results/run.hpp"

namespace pageproof::gonogo {

// Medians of a setup in a cell; the repeats lie `spread` of them apart, the median in the middle.
struct Level {
  double ttft_ms = 1000;
  double tpot_ms = 20;
  double output_throughput = 3000;
  double spread = 0.001;
};

// The setups of a measurement that passes: c beats a1 and a2 in TPOT, and b in TTFT with 1.1 % more TPOT.
Level level_of(const std::string& setup);

// One repeat: model M, cold, isl 4096, concurrency 64, P:D 1:1, kernel asm.
results::Run made_run(const std::string& setup, std::uint64_t osl, const Level& level, std::size_t repeat);

// `repeats` runs of a1, a2, b and c in `cells` cells of 128, 256, ... output tokens, interleaved in time.
std::vector<results::Run> made_runs(
    std::size_t cells = 3, std::size_t repeats = 3,
    const std::function<Level(const std::string& setup, std::size_t cell)>& level =
        [](const std::string& setup, std::size_t) { return level_of(setup); });

}  // namespace pageproof::gonogo
