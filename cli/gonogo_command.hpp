// The subcommand that judges measured runs: its options. Its parser is in parse/decide.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "reports/gonogo/choices.hpp"

namespace pageproof::cli {

struct GonogoOptions {
  std::vector<std::string> inputs;   // result files and folders of them
  std::string mapping;               // gives tags to files; empty: none
  std::string plan;                  // the cells that were planned; empty: those that were seen
  std::string weights;               // of cells; empty: as choices.aggregation says
  std::vector<std::string> outputs;  // files; the ending says the form: .txt, .md, .csv, .json
  std::vector<std::string> same;     // keys that must be equal in a cell, beside choices.same
  std::vector<std::string> differ;   // of choices.same, those that need not be
  std::string goodput;               // objectives, as "ttft:200,tpot:20"; empty: none
  bool markdown = false;
  bool csv = false;
  std::uint32_t rows = 24;  // of a table in words
  gonogo::Choices choices;
  gonogo::Keys keys;
};
Result gonogo(const GonogoOptions& options);

}  // namespace pageproof::cli
