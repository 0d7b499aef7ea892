// What a run gets from elsewhere than its own file: AIPerf's records, tags of the mapping, sidecars and logs
// of its folder.
#pragma once

#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "reports/results/forms.hpp"
#include "reports/results/mapping.hpp"
#include "reports/results/run.hpp"

namespace pageproof::results {

std::string folder_of(const std::string& path);

// AIPerf writes one run twice: its statistics, and its records. The records go to the statistics.
void join_aiperf(std::vector<Run>& runs);

// A tag that the run has with another value makes it invalid.
void add_tags(Run& run, const Mapping& mapping);

struct Beside {
  Sidecar sidecar;
  std::string folder;
  bool of_log = false;
};
// A sidecar to the run that it names, or to all of its folder; a log to all of its folder.
void attach(const Beside& beside, std::vector<Run>& runs, std::vector<Error>& refused);

}  // namespace pageproof::results
