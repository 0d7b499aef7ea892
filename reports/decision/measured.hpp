// A measured cell: one setup under one load, as result files tell it, or one row of a step-time table.
// Repeats of a cell are one cell: their medians.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::decision {

struct MeasuredCell {
  std::string setup;  // the files' tag; empty where they have none
  std::string model;
  double input_tokens = 0;   // of a request
  double output_tokens = 0;  // of a request; 0 for a row of a step table
  double load = 0;           // requests at once: the client's limit, or the batch of a step table's row
  double tpot_ms = 0;        // median over requests, or the step's time
  std::optional<double> ttft_ms = std::nullopt;            // median
  std::optional<double> output_throughput = std::nullopt;  // tokens a second
  std::size_t runs = 0;

  bool of_table() const { return output_tokens == 0; }
  // "a1 model isl=4096 osl=128 load=16": what makes two runs repeats of one cell.
  std::string key() const;
};

struct Measured {
  std::vector<MeasuredCell> cells;  // by setup, model, input tokens, output tokens, load
  std::vector<Error> left_out;      // a run that cannot be used, and why: one each
  std::vector<Error> refused;       // a file that is no result
};

// Result files, folders of them, and step tables (*.csv: setup,batch,context,step_ms).
Measured read_measured(const std::vector<std::string>& paths);

}  // namespace pageproof::decision
