#include "reports/decision/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "golden/container/mapped_file.hpp"
#include "model/serving/step_time.hpp"
#include "reports/results/read.hpp"
#include "reports/results/statistics.hpp"

namespace pageproof::decision {
namespace {

using results::Run;

Error unusable(const Run& run, std::string field, std::string problem) {
  return {run.source, std::move(field), "", std::move(problem)};
}

// The cell of one run, or why it is none.
Expected<MeasuredCell> cell_of(const Run& run) {
  if (const auto* finding = run.invalid_because()) {
    return std::unexpected(Error{run.source, finding->field, finding->value, finding->problem});
  }
  if (!run.completed || !run.total_input_tokens || !run.total_output_tokens || *run.completed == 0) {
    return std::unexpected(unusable(run, "completed", "the file does not say how many requests and tokens"));
  }
  if (!run.max_concurrency) {
    return std::unexpected(unusable(run, "max_concurrency", "missing: only a closed loop can be fitted"));
  }
  const auto tpot = run.metric("median_tpot_ms") ? run.metric("median_tpot_ms") : run.metric("mean_tpot_ms");
  if (!tpot) return std::unexpected(unusable(run, "median_tpot_ms", "missing"));
  const double completed = static_cast<double>(*run.completed);
  const double output = static_cast<double>(*run.total_output_tokens) / completed;
  if (output < 2) return std::unexpected(unusable(run, "total_output_tokens", "below 2 a request: no TPOT"));
  return MeasuredCell{.setup = run.tag("setup"),
                      .model = run.model_id,
                      .input_tokens = static_cast<double>(*run.total_input_tokens) / completed,
                      .output_tokens = output,
                      .load = static_cast<double>(*run.max_concurrency),
                      .tpot_ms = *tpot,
                      .ttft_ms = run.metric("median_ttft_ms"),
                      .output_throughput = run.metric("output_throughput"),
                      .runs = 1};
}

template <class Field>
auto values_of(const std::vector<MeasuredCell>& repeats, Field field) {
  std::vector<double> values;
  for (const MeasuredCell& one : repeats) {
    if constexpr (std::is_same_v<Field, double MeasuredCell::*>) {
      values.push_back(one.*field);
    } else if (one.*field) {
      values.push_back(*(one.*field));
    }
  }
  return values;
}

MeasuredCell joined(const std::vector<MeasuredCell>& repeats) {
  MeasuredCell cell = repeats.front();
  cell.runs = repeats.size();
  cell.tpot_ms = results::median(values_of(repeats, &MeasuredCell::tpot_ms));
  for (const auto field : {&MeasuredCell::ttft_ms, &MeasuredCell::output_throughput}) {
    const std::vector<double> values = values_of(repeats, field);
    cell.*field = values.empty() ? std::nullopt : std::optional(results::median(values));
  }
  return cell;
}

void read_table(const std::string& path, Measured& measured, std::vector<MeasuredCell>& all) {
  const auto file = golden::MappedFile::open(path);
  if (!file) return measured.refused.push_back(file.error());
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const auto table = serving::step_table_from_csv(text, path);
  if (!table) return measured.refused.push_back(table.error());
  for (const serving::StepRow& row : table->rows) {
    all.push_back({.setup = row.setup,
                   .model = "",
                   .input_tokens = static_cast<double>(row.context),
                   .load = static_cast<double>(row.batch),
                   .tpot_ms = row.step_ms,
                   .runs = 1});
  }
}

}  // namespace

std::string MeasuredCell::key() const {
  if (of_table()) return fmt::format("{} batch={:.0f} context={:.0f}", setup, load, input_tokens);
  return fmt::format("{}{}{} isl={:.0f} osl={:.0f} load={:.0f}", setup, setup.empty() ? "" : " ", model,
                     input_tokens, output_tokens, load);
}

Measured read_measured(const std::vector<std::string>& paths) {
  Measured measured;
  std::vector<MeasuredCell> all;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (path.ends_with(".csv")) {
      read_table(path, measured, all);
    } else {
      files.push_back(path);
    }
  }
  if (!files.empty()) {
    results::Results read = results::read_results(files, {}, {});
    for (Error& error : read.refused) measured.refused.push_back(std::move(error));
    for (Error& error : read.left_out) measured.left_out.push_back(std::move(error));
    for (const Run& run : read.runs) {
      auto cell = cell_of(run);
      if (cell) {
        all.push_back(std::move(*cell));
      } else {
        measured.left_out.push_back(cell.error());
      }
    }
  }
  std::map<std::string, std::vector<MeasuredCell>> by_key;
  for (MeasuredCell& cell : all) by_key[cell.key()].push_back(std::move(cell));
  for (const auto& [key, repeats] : by_key) measured.cells.push_back(joined(repeats));
  std::ranges::sort(measured.cells, {}, [](const MeasuredCell& cell) {
    return std::tuple(cell.setup, cell.model, cell.input_tokens, cell.output_tokens, cell.load);
  });
  return measured;
}

}  // namespace pageproof::decision
