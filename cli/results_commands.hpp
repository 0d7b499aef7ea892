// pageproof results: its options.
#pragma once

#include "cli/commands.hpp"

namespace pageproof::cli {

struct ResultsOptions {
  std::vector<std::string> inputs;  // result files, folders of them
  std::string mapping;              // gives tags to files; empty: none
  double failed_share = 0;          // of a run's requests, that may fail: 0 to 1
  std::string goodput;              // "ttft:200,tpot:20,e2el:5000", ms; empty: none
};
// Exit 1: a run is invalid. Exit 2: a file could not be used; the others are listed.
Result results(const ResultsOptions& options);

}  // namespace pageproof::cli
