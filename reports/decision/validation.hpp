// A fitted model against measured cells: signed error of each, and what they come to. Cells that the model
// was fitted on are judged apart from the others, which alone say how it predicts.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/decision/step_fit.hpp"

namespace pageproof::decision {

// Which cells are fitted, and which are held out. By setup, over its sorted input lengths and loads.
enum class SplitRule : std::uint8_t {
  none,        // all fitted
  chessboard,  // every other cell: input length and load, counted, add up to an even number
  contexts,    // the shorter half of the input lengths is fitted, the longer predicted
  loads,       // the lower half of the loads is fitted, the higher predicted
};
std::string_view to_string(SplitRule rule);
Expected<SplitRule> split_rule_named(std::string_view name);

struct Halves {
  std::vector<MeasuredCell> fitted;
  std::vector<MeasuredCell> held_out;
};
// `swapped` exchanges the two.
Halves split_cells(const std::vector<MeasuredCell>& cells, SplitRule rule, bool swapped);

struct CellError {
  MeasuredCell cell;
  PredictedCell predicted;
  double tpot = 0;                   // predicted / measured - 1
  std::optional<double> throughput;  // the same of output throughput
  bool fitted = false;               // the model was fitted on it
};

struct Quality {
  std::size_t cells = 0;
  double mape = 0;  // mean of |error| of TPOT, 0.05: 5 %
  double bias = 0;  // mean of the signed error
  double worst = 0;
  std::optional<double> correlation =
      std::nullopt;  // Pearson's r of TPOT, predicted and measured; nothing: all alike
  std::optional<double> throughput_mape = std::nullopt;  // nothing: not measured
  std::size_t pairs = 0;                                 // of differences, below
  std::optional<double> differential =
      std::nullopt;  // mean of |difference predicted - difference measured| / TPOT
  std::optional<double> differential_worst = std::nullopt;
  std::optional<double> same_sign = std::nullopt;  // share of pairs whose difference has the measured sign
  std::string grade = {};                          // excellent, good, fair or poor, as BLIS grades
};

struct Validation {
  std::vector<CellError> cells;
  std::vector<Error> left_out;  // no model of that setup
  Quality fitted;
  Quality held_out;
};

// Differences are between setups under one load; where there is one setup, between neighbours in load at one
// input length.
Validation validate(const std::vector<StepModel>& models, const std::vector<MeasuredCell>& cells);

// MAPE < 10 % and r > 0.95: excellent; < 20 % and > 0.85: good; < 35 % and > 0.70: fair; else poor.
std::string grade_of(double mape, double correlation);

std::string validation_text(const std::vector<StepModel>& models, const Validation& validation,
                            bool every_cell);
nlohmann::ordered_json validation_json(const Validation& validation);

}  // namespace pageproof::decision
