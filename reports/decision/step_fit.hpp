// A step-time model fitted to measured cells, and what it predicts for another cell of the same engine.
//
//   TPOT = t0 + t_B·B + t_kv·B·(isl + osl/2) + (B/osl)·J(isl)      J = j1·isl + j2·isl²
//
// The first three are the decode step of B requests (spec §5.1, weights in t0). J is what each request that
// joins costs all running ones: in an engine that prefills between its decode steps, the prefill; in one
// whose pages come from elsewhere, the conversion. B is not the client's limit. Of R = min(load, K/(isl +
// osl)) requests that fit the KV cache, those that wait for their first token do not decode:
//
//   B = R·x/(TTFT + x)      x = (osl - 1)·TPOT      TTFT = f0 + F(isl)·(1 + w·(R - 1))
//
// F is the prefill: J itself in an engine that does both, f1·isl + f2·isl² otherwise; w the share of the
// others' prefills that a request waits for. The linear coefficients are the non-negative least squares of
// relative errors at given K and w; K and w are searched.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/serving/step_time.hpp"
#include "reports/decision/measured.hpp"

namespace pageproof::decision {

struct StepModel {
  std::string setup;
  bool prefills_elsewhere = false;
  double base_ms = 0;               // t0
  double per_request_ms = 0;        // t_B
  double per_kv_token_ms = 0;       // t_kv
  double join_per_token_ms = 0;     // j1
  double join_per_token2_ms = 0;    // j2
  double first_token_ms = 0;        // f0
  double prefill_per_token_ms = 0;  // f1, f2: 0 in an engine that does both
  double prefill_per_token2_ms = 0;
  double kv_tokens = 0;                // K; infinity: nothing in the cells showed it
  double queue_share = 0;              // w
  std::vector<std::string> fitted_on;  // keys of its cells
  std::vector<std::string> remarks;    // what the cells could not tell apart

  double join_ms(double input_tokens) const;
  double prefill_ms(double input_tokens) const;
  double step_ms(double batch, double context) const;  // a decode step alone
};

struct PredictedCell {
  double batch = 0;     // that decodes, on average
  double resident = 0;  // R
  double tpot_ms = 0;
  double ttft_ms = 0;            // once it is let in
  double output_throughput = 0;  // tokens a second
};

PredictedCell predict(const StepModel& model, const MeasuredCell& cell);

// One setup's cells. Refused: fewer than 4 cells.
Expected<StepModel> fit_steps(const std::vector<MeasuredCell>& cells, bool prefills_elsewhere);

// Of every setup in the cells.
Expected<std::vector<StepModel>> fit_setups(const std::vector<MeasuredCell>& cells, bool prefills_elsewhere);

// The decode step as a table that `simulate` reads: exact, for it is bilinear. CSV:
// setup,batch,context,step_ms.
std::string step_table_csv(const std::vector<StepModel>& models);

nlohmann::ordered_json models_json(const std::vector<StepModel>& models);
// Refused: what models_json does not write; `subject` names the file.
Expected<std::vector<StepModel>> models_from_json(std::string_view text, const std::string& subject);

}  // namespace pageproof::decision
