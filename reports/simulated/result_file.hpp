// A simulated run as `vllm bench serve --save-result --save-detailed` would have written it, so that one
// reader serves measured and simulated runs; and the sidecar for what no benchmark client sees. Latencies in
// ms, arrays in seconds. The key `simulated` marks it. Source: simulation spec §2.1, §2.6.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/serving/runs.hpp"

namespace pageproof::simulated {

inline constexpr std::uint64_t kMostDetailedTokens = 16'000'000;  // of a file: 20 B or so each

struct RunFacts {
  serving::Cell cell;
  std::uint64_t seed = 1;
  std::string date;       // YYYYmmdd-HHMMSS, of the simulated clock
  std::string simulated;  // by what: "pageproof 0.1.0"
  // What `--metadata` would have said, beside setup, isl, osl, workload, pd, kernel, tp, device and seed.
  std::vector<std::pair<std::string, std::string>> tags = {};
};

// The kernel that decoded for most of the time.
std::string kernel_that_ran(const serving::Cell& cell, const serving::Simulation& run);
// "1:2": prefill servers to decoders.
std::string ratio_of(const serving::Deployment& deployment);

// One JSON object. With `arrays` the run has kept its steps. Numbers are written so that they read back the
// same.
std::string result_json(const serving::Simulation& run, const serving::Summary& summary,
                        const RunFacts& facts, bool arrays);

// split.json of one run; `file` is the name of its result.
std::string sidecar_json(const serving::Simulation& run, const serving::Summary& summary,
                         const RunFacts& facts, const std::string& file);

}  // namespace pageproof::simulated
