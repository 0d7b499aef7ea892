// The subcommand that makes one page of the documents of others: its options.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"

namespace pageproof::cli {

struct ReportOptions {
  std::vector<std::string> inputs;  // JSON documents
  std::string output;               // a file
  std::string title;                // empty: a question, and the models
  bool no_charts = false;
};
Result report(const ReportOptions& options);

}  // namespace pageproof::cli
