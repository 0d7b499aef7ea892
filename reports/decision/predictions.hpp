// What nobody has measured yet, said before anyone does: ten predictions with their figures, the runs that
// would falsify each and the threshold at which they do: where the claim itself ends. Every figure is
// computed from the cost formulas or simulated (the median over nine seeds, prefills with 10 % of noise), and
// the command that simulates it stands beside it, so the file can be made again and compared; a SHA-256 over
// its canonical form (keys sorted, no white space, without the hash) says that nobody changed it since.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::decision {

struct PredictedFigure {
  std::string name;
  double value = 0;  // rounded to 5 digits
  std::string unit;
};

// The prediction is wrong where `metric` is `below` or `above` the value.
struct Threshold {
  std::string metric;
  std::string relation;
  double value = 0;
  std::string unit;
};

// A deployment and a load: enough to make the run, on GPUs or simulated.
struct PredictedRun {
  std::string setups;  // "b,c"
  std::string model;
  std::string workload;
  std::uint32_t tp = 0;  // of the decoder and of each prefill engine
  std::string pd;        // "6:1"
  std::uint32_t isl = 0;
  std::uint32_t osl = 0;
  std::uint32_t max_concurrency = 0;  // 0: request_rate instead
  double request_rate = 0;            // requests/s
  std::uint64_t num_prompts = 0;
  std::string simulate;  // the command that gives the simulated figures
};

struct Prediction {
  std::string id;     // "P1"
  std::string claim;  // one sentence
  std::vector<PredictedFigure> figures;
  std::string runs;                  // that would falsify it
  std::vector<PredictedRun> repeat;  // the same, exactly; empty where no load matters
  std::vector<Threshold> falsified_where;
};

// P1 to P10.
Expected<std::vector<Prediction>> make_predictions();

bool is_date(std::string_view text);  // YYYY-MM-DD, a day of the calendar

// With date (YYYY-MM-DD) and hash.
nlohmann::ordered_json predictions_json(const std::vector<Prediction>& predictions, const std::string& date);
std::string predictions_text(const std::vector<Prediction>& predictions);

struct PredictionsCheck {
  std::string date;
  std::string hash;
  std::vector<std::string> problems;  // empty: the hash fits, and every figure is what the model gives today
};
// Refused: no such document.
Expected<PredictionsCheck> check_predictions(std::string_view text, const std::string& subject);

}  // namespace pageproof::decision
