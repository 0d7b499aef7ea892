#include "reports/decision/prediction_runs.hpp"

#include <fmt/format.h>

#include "model/serving/runs.hpp"
#include "reports/results/statistics.hpp"

namespace pageproof::decision {
namespace {

template <class Operation>
double median_over(const std::vector<double>& one, const std::vector<double>& other, Operation operation) {
  std::vector<double> values;
  for (std::size_t i = 0; i < one.size() && i < other.size(); ++i)
    values.push_back(operation(one[i], other[i]));
  return results::median(std::move(values));
}

}  // namespace

double median_difference(const std::vector<double>& one, const std::vector<double>& other) {
  return median_over(one, other, [](double a, double b) { return a - b; });
}

double median_ratio(const std::vector<double>& one, const std::vector<double>& other) {
  return median_over(one, other, [](double a, double b) { return a / b; });
}

PlanOptions prediction_options() {
  PlanOptions options;
  options.prefill_gpus = 1024;
  options.assume.run_cv = 0;
  return options;
}

Expected<Place> place_for(const PlanPoint& point, std::uint32_t tp) {
  PlanOptions options = prediction_options();
  options.tp = tp;
  const auto ready = outset(options, point);
  if (!ready) return std::unexpected(ready.error());
  if (ready->concurrency == 0)
    return std::unexpected(Error{"predictions", "point", point.name(), ready->reason});
  return Place{.point = point,
               .tp = tp,
               .prefill_servers = ready->prefill_gpus / tp,
               .concurrency = ready->concurrency,
               .prompts = std::uint64_t{options.prompts} * ready->concurrency};
}

Expected<SeedRuns> run_at(const Place& place, const serving::Setup& setup) {
  PlanOptions options = prediction_options();
  options.tp = place.tp;
  serving::Cell cell{.deployment = deployment_of(options, place.point, place.tp * place.prefill_servers),
                     .setup = setup,
                     .load = load_of(options, place.point, place.concurrency)};
  cell.load.requests = place.prompts;
  if (place.concurrency == 0) {
    cell.load.max_concurrency = std::nullopt;
    cell.load.request_rate = place.rate;
  }
  const auto rows = serving::run_cells(
      std::span(&cell, 1),
      {.seeds = kPredictionSeeds, .noise = {.prefill = options.assume.prefill_cv}, .threads = 2});
  if (!rows) return std::unexpected(rows.error());
  SeedRuns out;
  for (const serving::CellRun& row : *rows) {
    if (row.error) return std::unexpected(*row.error);
    out.tpot_ms.push_back(row.summary->tpot_ms.mean);
    out.ttft_ms.push_back(row.summary->ttft_ms.mean);
    out.p99_itl_ms.push_back(row.summary->itl_ms.p99);
    out.batch.push_back(row.summary->batch_mean);
  }
  return out;
}

PredictedRun repeat_of(const Place& place, std::string setups, const std::string& option) {
  PredictedRun run{.setups = std::move(setups),
                   .model = place.point.model,
                   .workload = place.point.workload,
                   .tp = place.tp,
                   .pd = fmt::format("{}:1", place.prefill_servers),
                   .isl = place.point.context,
                   .osl = place.point.output,
                   .max_concurrency = place.concurrency,
                   .request_rate = place.rate,
                   .num_prompts = place.prompts,
                   .simulate = {}};
  run.simulate = fmt::format(
      "pageproof simulate --setups {} --model {} --tp {} --prefill {} --isl {} --osl {} {} --num-prompts {} "
      "--seeds {} --run-cv 0{}{}",
      run.setups, run.model, run.tp, place.prefill_servers, run.isl, run.osl,
      place.concurrency > 0 ? fmt::format("--concurrency {}", place.concurrency)
                            : fmt::format("--rate {}", place.rate),
      run.num_prompts, kPredictionSeeds, option.empty() ? "" : " ", option);
  return run;
}

}  // namespace pageproof::decision
