// The formulas of model/serving/cost as a table that can be made anew: the RFC's figures are computed through
// it, and each mutant below replaces one formula by a plausible wrong one. A mutant that changes no figure
// would show a formula that no figure checks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/serving/cost.hpp"

namespace pageproof::decision {

using serving::CapacityAnswer;
using serving::Device;
using serving::MemoryUse;
using serving::ModelShape;

struct Formulas {
  double least_traffic = serving::kLeastTorchTraffic;
  double most_traffic = serving::kTorchTraffic;
  std::uint32_t regions_of_halves = 2;
  double margin = serving::kCapacityMargin;
  std::function<double(const ModelShape&, double tokens)> request_bytes = serving::request_bytes;
  std::function<double(double bytes, double traffic, double bandwidth)> conversion_ms =
      serving::conversion_ms;
  std::function<double(std::uint32_t layers, double launches, double microseconds)> launch_floor_ms =
      serving::launch_floor_ms;
  std::function<double(double batch, double convert_ms, double saving_ms)> break_even =
      serving::break_even_tokens;
  std::function<std::optional<double>(double batch, double convert_ms, double saving_ms, double step_ms)>
      counted = [](double batch, double convert_ms, double saving_ms, double step_ms) {
        return serving::counted_tokens(batch, convert_ms, saving_ms, step_ms);
      };
  // The comparator's step is handed over too: a mutant takes it for (b)'s.
  std::function<double(double batch, double convert_ms, double shuffled_step_ms, double comparator_step_ms)>
      guard = [](double batch, double convert_ms, double shuffled_step_ms, double) {
        return serving::guard_tokens(batch, convert_ms, shuffled_step_ms);
      };
  std::function<std::optional<std::uint32_t>(const ModelShape&, const Device&, std::uint32_t tp, bool padded)>
      asm_batch = serving::asm_batch;
  std::function<CapacityAnswer(const ModelShape&, const Device&, std::uint32_t tp, double batch,
                               double tokens)>
      capacity =
          [](const ModelShape& model, const Device& device, std::uint32_t tp, double batch, double tokens) {
            return serving::capacity_for(model, device, tp, MemoryUse{}, batch, tokens);
          };
  std::function<double(const ModelShape&, double tokens, double cached)> prefill_flops =
      serving::prefill_flops;
};

struct FormulaFault {
  std::string name;
  std::string what;
  Formulas formulas;
};

// One wrong formula each.
std::vector<FormulaFault> formula_faults();

}  // namespace pageproof::decision
