#include "reports/decision/step_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reports/decision/least_squares.hpp"

namespace pageproof::decision {
namespace {

constexpr std::size_t kFewestCells = 4;
constexpr int kRounds = 8;        // of fit and prediction in turns
constexpr int kFixedPoint = 200;  // steps, at most, to the batch
constexpr double kEndless = std::numeric_limits<double>::infinity();

double context_of(const MeasuredCell& cell) {
  return cell.input_tokens + cell.output_tokens / 2;
}

// Coefficients of t0, t_B, t_kv, j1, j2 in a cell's TPOT, then of f0, f1, f2, which have none.
std::vector<double> tpot_row(const MeasuredCell& cell, double batch) {
  const double joins = cell.of_table() ? 0 : batch / cell.output_tokens;
  const double isl = cell.input_tokens;
  return {1, batch, batch * context_of(cell), joins * isl, joins * isl * isl, 0, 0, 0};
}

std::vector<double> ttft_row(const MeasuredCell& cell, bool elsewhere) {
  const double isl = cell.input_tokens;
  if (elsewhere) return {0, 0, 0, 0, 0, 1, isl, isl * isl};
  return {0, 0, 0, isl, isl * isl, 1, 0, 0};
}

void add_relative(LeastSquares& problem, std::vector<double> row, double value) {
  for (double& one : row) one /= value;
  problem.rows.push_back(std::move(row));
  problem.values.push_back(1);
}

void take(StepModel& model, const std::vector<double>& x) {
  model.base_ms = x[0];
  model.per_request_ms = x[1];
  model.per_kv_token_ms = x[2];
  model.join_per_token_ms = x[3];
  model.join_per_token2_ms = x[4];
  model.first_token_ms = x[5];
  model.prefill_per_token_ms = x[6];
  model.prefill_per_token2_ms = x[7];
}

// The linear coefficients at the model's K and w. First tokens count at the lightest load: elsewhere they
// queue.
void fit_linear(StepModel& model, const std::vector<MeasuredCell>& cells, int rounds) {
  double lightest = kEndless;
  for (const MeasuredCell& cell : cells) lightest = std::min(lightest, cell.load);
  std::vector<double> batches;
  for (const MeasuredCell& cell : cells) {
    const double resident = std::min(cell.load, model.kv_tokens / (cell.input_tokens + cell.output_tokens));
    batches.push_back(cell.of_table() ? cell.load : 0.9 * resident);
  }
  for (int round = 0; round < rounds; ++round) {
    LeastSquares problem;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const MeasuredCell& cell = cells[i];
      if (round > 0) batches[i] = predict(model, cell).batch;
      add_relative(problem, tpot_row(cell, batches[i]), cell.tpot_ms);
      if (!cell.of_table() && cell.ttft_ms && cell.load == lightest) {
        add_relative(problem, ttft_row(cell, model.prefills_elsewhere), *cell.ttft_ms);
      }
    }
    take(model, non_negative_solution(problem));
  }
}

double squared_errors(const StepModel& model, const std::vector<MeasuredCell>& cells) {
  double sum = 0;
  for (const MeasuredCell& cell : cells) {
    const PredictedCell predicted = predict(model, cell);
    const double tpot = predicted.tpot_ms / cell.tpot_ms - 1;
    sum += tpot * tpot;
    if (cell.output_throughput) {
      const double rate = predicted.output_throughput / *cell.output_throughput - 1;
      sum += rate * rate;
    }
  }
  return sum;
}

// K and w by a grid, then by steps that shrink.
struct Search {
  const std::vector<MeasuredCell>& cells;
  StepModel best;
  double least = kEndless;

  void attempt(double kv_tokens, double queue_share) {
    StepModel model = best;
    model.kv_tokens = kv_tokens;
    model.queue_share = std::max(0.0, queue_share);
    fit_linear(model, cells, kRounds);
    const double errors = squared_errors(model, cells);
    if (errors >= least) return;
    least = errors;
    best = std::move(model);
  }
};

void search(Search& search_, double most_tokens) {
  for (const double share : {0.0, 0.05, 0.1, 0.15, 0.2}) {
    search_.attempt(kEndless, share);
    for (double tokens = most_tokens; tokens > most_tokens / 20; tokens *= 0.87)
      search_.attempt(tokens, share);
  }
  double tokens_step = 0.07, share_step = 0.03;
  for (int round = 0; round < 8; ++round, tokens_step /= 1.6, share_step /= 1.6) {
    const double tokens = search_.best.kv_tokens, share = search_.best.queue_share;
    if (std::isfinite(tokens)) {
      search_.attempt(tokens * (1 + tokens_step), share);
      search_.attempt(tokens * (1 - tokens_step), share);
    }
    search_.attempt(search_.best.kv_tokens, share + share_step);
    search_.attempt(search_.best.kv_tokens, share - share_step);
  }
}

std::vector<std::string> remarks_of(const StepModel& model, const std::vector<MeasuredCell>& cells) {
  std::vector<std::string> remarks;
  const bool served = !cells.front().of_table();
  const auto same_output = [&](const MeasuredCell& cell) {
    return cell.output_tokens == cells.front().output_tokens;
  };
  if (served && std::ranges::all_of(cells, same_output)) {
    remarks.push_back(
        fmt::format("all cells have {:.0f} output tokens: t_kv and J change TPOT alike; what is whose comes "
                    "from TTFT alone",
                    cells.front().output_tokens));
  }
  if (served && std::isinf(model.kv_tokens)) remarks.push_back("no cell showed where the KV cache is full");
  return remarks;
}

}  // namespace

double StepModel::join_ms(double input_tokens) const {
  return join_per_token_ms * input_tokens + join_per_token2_ms * input_tokens * input_tokens;
}

double StepModel::prefill_ms(double input_tokens) const {
  if (!prefills_elsewhere) return join_ms(input_tokens);
  return prefill_per_token_ms * input_tokens + prefill_per_token2_ms * input_tokens * input_tokens;
}

double StepModel::step_ms(double batch, double context) const {
  return base_ms + per_request_ms * batch + per_kv_token_ms * batch * context;
}

PredictedCell predict(const StepModel& model, const MeasuredCell& cell) {
  if (cell.of_table()) {
    return {
        .batch = cell.load, .resident = cell.load, .tpot_ms = model.step_ms(cell.load, cell.input_tokens)};
  }
  const double tokens = cell.output_tokens;
  PredictedCell out;
  out.resident = std::min(cell.load, model.kv_tokens / (cell.input_tokens + tokens));
  out.ttft_ms = model.first_token_ms + model.prefill_ms(cell.input_tokens) *
                                           (1 + model.queue_share * std::max(0.0, out.resident - 1));
  const double join = model.join_ms(cell.input_tokens);
  double decoding_ms = 0;
  out.batch = 0.9 * out.resident;
  for (int step = 0; step < kFixedPoint; ++step) {
    out.tpot_ms = model.step_ms(out.batch, context_of(cell)) + out.batch / tokens * join;
    decoding_ms = (tokens - 1) * out.tpot_ms;
    const double batch = decoding_ms > 0 ? out.resident * decoding_ms / (out.ttft_ms + decoding_ms) : 0;
    const bool settled = std::abs(batch - out.batch) < 1e-9 * out.resident;
    out.batch = (out.batch + batch) / 2;
    if (settled) break;
  }
  out.output_throughput = decoding_ms > 0 ? 1e3 * tokens * out.batch / decoding_ms : 0;
  return out;
}

Expected<StepModel> fit_steps(const std::vector<MeasuredCell>& cells, bool prefills_elsewhere) {
  if (cells.size() < kFewestCells) {
    return std::unexpected(Error{"calibrate",
                                 cells.empty() ? "cells" : "cells of setup " + cells.front().setup,
                                 fmt::format("{}", cells.size()), "too few: 4 cells at least"});
  }
  Search found{.cells = cells, .best = {}};
  found.best.setup = cells.front().setup;
  found.best.prefills_elsewhere = prefills_elsewhere;
  double most_tokens = 0;
  for (const MeasuredCell& cell : cells) {
    if (!cell.of_table())
      most_tokens = std::max(most_tokens, cell.load * (cell.input_tokens + cell.output_tokens));
  }
  if (most_tokens == 0) {
    found.attempt(kEndless, 0);
  } else {
    search(found, most_tokens);
  }
  for (const MeasuredCell& cell : cells) found.best.fitted_on.push_back(cell.key());
  found.best.remarks = remarks_of(found.best, cells);
  return std::move(found.best);
}

Expected<std::vector<StepModel>> fit_setups(const std::vector<MeasuredCell>& cells, bool prefills_elsewhere) {
  std::map<std::string, std::vector<MeasuredCell>> by_setup;
  for (const MeasuredCell& cell : cells) by_setup[cell.setup].push_back(cell);
  if (by_setup.empty()) by_setup[""];
  std::vector<StepModel> models;
  for (const auto& [setup, own] : by_setup) {
    auto model = fit_steps(own, prefills_elsewhere);
    if (!model) return std::unexpected(model.error());
    models.push_back(std::move(*model));
  }
  return models;
}

std::string step_table_csv(const std::vector<StepModel>& models) {
  std::string text = "setup,batch,context,step_ms\n";
  for (const StepModel& model : models) {
    for (const int batch : {1, 512}) {
      for (const int context : {0, 131072}) {
        text += fmt::format("{},{},{},{:.9g}\n", model.setup.empty() ? "measured" : model.setup, batch,
                            context, model.step_ms(batch, context));
      }
    }
  }
  return text;
}

}  // namespace pageproof::decision
