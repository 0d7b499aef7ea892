// The subcommands that say what converting costs, what would settle it, and what is predicted: their options.
#pragma once

#include "cli/commands.hpp"
#include "reports/decision/run_plan.hpp"

namespace pageproof::cli {

struct CostOptions {
  std::string model = "qwen3-8b";
  std::string device = "mi300x";
  std::uint32_t tp = 1;
  std::uint32_t batch = 32;
  std::uint64_t context = 4096;
  std::uint64_t output = 512;
  std::uint64_t block_tokens = 16;
  std::vector<double> traffic;        // empty: 4 and 6
  std::vector<double> terabytes;      // a second, of the converter; empty: 1.5 and 3
  std::optional<double> saving_ms{};  // nothing: by the step-time model
  double launch_microseconds = 6;
  bool with_launches = false;
  bool rfc = false;       // the table of the RFC's figures instead
  bool markdown = false;  // that table as docs/cost.md has it
};
Result cost(const CostOptions& options);

struct CalibrateOptions {
  std::vector<std::string> inputs;  // result files, folders of them, step tables
  std::string output;               // the model; empty: none is written
  std::string step_table;           // the fitted steps as a table for simulate; empty: none
  std::string split = "none";       // which cells are held out
  bool swap = false;                // the held-out ones are fitted instead
  bool prefills_elsewhere = false;  // a decoder whose pages come from another engine
  bool cells = false;               // every cell
};
Result calibrate(const CalibrateOptions& options);

struct ValidateOptions {
  std::string model;
  std::vector<std::string> inputs;
  bool cells = false;
};
Result validate(const ValidateOptions& options);

struct PlanRunsOptions {
  decision::PlanOptions plan{};
  std::string shard = "1/1";
  std::vector<std::string> merge;  // JSON reports of all shards, instead of simulating
  std::string judge_plan;          // a file that gonogo --plan reads; empty: none
  bool points = false;             // every point, with its figures
  bool sensitivity = false;        // one assumption at a time instead
  bool progress = false;           // on stderr, also where that is no terminal
};
Result plan_runs(const PlanRunsOptions& options);

struct PredictionsOptions {
  std::string output;  // a file for the document; empty: none
  std::string date;    // YYYY-MM-DD; empty: today
  std::string check;   // a document to check instead
};
Result predictions(const PredictionsOptions& options);

}  // namespace pageproof::cli
