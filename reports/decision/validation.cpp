#include "reports/decision/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace pageproof::decision {
namespace {

constexpr std::array<std::string_view, 4> kSplitNames = {"none", "chessboard", "contexts", "loads"};

std::size_t place_in(const std::set<double>& values, double value) {
  return static_cast<std::size_t>(std::distance(values.begin(), values.find(value)));
}

std::optional<double> pearson(const std::vector<const CellError*>& cells) {
  double n = static_cast<double>(cells.size()), p = 0, m = 0, pp = 0, mm = 0, pm = 0;
  for (const CellError* one : cells) {
    p += one->predicted.tpot_ms / n;
    m += one->cell.tpot_ms / n;
  }
  for (const CellError* one : cells) {
    const double a = one->predicted.tpot_ms - p, b = one->cell.tpot_ms - m;
    pp += a * a;
    mm += b * b;
    pm += a * b;
  }
  if (cells.size() < 3 || pp <= 0 || mm <= 0) return std::nullopt;
  return pm / std::sqrt(pp * mm);
}

using Pair = std::pair<const CellError*, const CellError*>;

std::vector<Pair> pairs_of(const std::vector<const CellError*>& cells) {
  std::vector<Pair> pairs;
  std::set<std::string> setups;
  for (const CellError* one : cells) setups.insert(one->cell.setup);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = i + 1; j < cells.size(); ++j) {
      const MeasuredCell &a = cells[i]->cell, &b = cells[j]->cell;
      const bool alike =
          a.model == b.model && a.input_tokens == b.input_tokens && a.output_tokens == b.output_tokens;
      const bool of_setups = setups.size() > 1 && a.setup != b.setup && a.load == b.load;
      // Cells are sorted: the next of the same input length is the neighbour in load.
      const bool neighbours = setups.size() == 1 && j == i + 1;
      if (alike && (of_setups || neighbours)) pairs.emplace_back(cells[i], cells[j]);
    }
  }
  return pairs;
}

void add_differences(Quality& quality, const std::vector<const CellError*>& cells) {
  const std::vector<Pair> pairs = pairs_of(cells);
  quality.pairs = pairs.size();
  if (pairs.empty()) return;
  double sum = 0, worst = 0, agree = 0;
  for (const auto& [a, b] : pairs) {
    const double predicted = b->predicted.tpot_ms - a->predicted.tpot_ms;
    const double measured = b->cell.tpot_ms - a->cell.tpot_ms;
    const double error = std::abs(predicted - measured) / a->cell.tpot_ms;
    sum += error;
    worst = std::max(worst, error);
    agree += (predicted > 0) == (measured > 0) ? 1 : 0;
  }
  const double n = static_cast<double>(pairs.size());
  quality.differential = sum / n;
  quality.differential_worst = worst;
  quality.same_sign = agree / n;
}

Quality quality_of(const std::vector<CellError>& all, bool fitted) {
  std::vector<const CellError*> cells;
  for (const CellError& one : all) {
    if (one.fitted == fitted) cells.push_back(&one);
  }
  Quality quality{.cells = cells.size()};
  if (cells.empty()) return quality;
  const double n = static_cast<double>(cells.size());
  double rates = 0, rate_errors = 0;
  for (const CellError* one : cells) {
    quality.mape += std::abs(one->tpot) / n;
    quality.bias += one->tpot / n;
    quality.worst = std::max(quality.worst, std::abs(one->tpot));
    if (one->throughput) {
      rates += 1;
      rate_errors += std::abs(*one->throughput);
    }
  }
  if (rates > 0) quality.throughput_mape = rate_errors / rates;
  quality.correlation = pearson(cells);
  quality.grade = quality.correlation ? grade_of(quality.mape, *quality.correlation) : "too few cells";
  add_differences(quality, cells);
  return quality;
}

}  // namespace

std::string_view to_string(SplitRule rule) {
  return kSplitNames[static_cast<std::size_t>(rule)];
}

Expected<SplitRule> split_rule_named(std::string_view name) {
  const auto found = std::ranges::find(kSplitNames, name);
  if (found != kSplitNames.end()) return static_cast<SplitRule>(found - kSplitNames.begin());
  return std::unexpected(Error{"--split", "", std::string(name), "not none, chessboard, contexts or loads"});
}

Halves split_cells(const std::vector<MeasuredCell>& cells, SplitRule rule, bool swapped) {
  struct Axes {
    std::set<double> contexts, loads;
  };
  std::map<std::string, Axes> axes;
  for (const MeasuredCell& cell : cells) {
    axes[cell.setup].contexts.insert(cell.input_tokens);
    axes[cell.setup].loads.insert(cell.load);
  }
  Halves halves;
  for (const MeasuredCell& cell : cells) {
    const Axes& own = axes[cell.setup];
    const std::size_t context = place_in(own.contexts, cell.input_tokens),
                      load = place_in(own.loads, cell.load);
    bool fitted = true;
    switch (rule) {
      case SplitRule::none:
        break;
      case SplitRule::chessboard:
        fitted = (context + load) % 2 == 0;
        break;
      case SplitRule::contexts:
        fitted = 2 * context < own.contexts.size();
        break;
      case SplitRule::loads:
        fitted = 2 * load < own.loads.size();
        break;
    }
    (fitted != (swapped && rule != SplitRule::none) ? halves.fitted : halves.held_out).push_back(cell);
  }
  return halves;
}

std::string grade_of(double mape, double correlation) {
  if (mape < 0.10 && correlation > 0.95) return "excellent";
  if (mape < 0.20 && correlation > 0.85) return "good";
  if (mape < 0.35 && correlation > 0.70) return "fair";
  return "poor";
}

Validation validate(const std::vector<StepModel>& models, const std::vector<MeasuredCell>& cells) {
  Validation out;
  for (const MeasuredCell& cell : cells) {
    const auto model = std::ranges::find(models, cell.setup, &StepModel::setup);
    if (model == models.end()) {
      out.left_out.push_back({cell.key(), "setup", cell.setup, "the model has no such setup"});
      continue;
    }
    CellError one{.cell = cell, .predicted = predict(*model, cell), .throughput = std::nullopt};
    one.tpot = one.predicted.tpot_ms / cell.tpot_ms - 1;
    if (cell.output_throughput)
      one.throughput = one.predicted.output_throughput / *cell.output_throughput - 1;
    one.fitted = std::ranges::find(model->fitted_on, cell.key()) != model->fitted_on.end();
    out.cells.push_back(std::move(one));
  }
  out.fitted = quality_of(out.cells, true);
  out.held_out = quality_of(out.cells, false);
  return out;
}

}  // namespace pageproof::decision
