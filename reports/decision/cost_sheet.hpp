// The cost of converting at one shape, line by line: each figure with its formula, its unit and where the
// formula comes from. Ranges come from the ranges of traffic and bandwidth that are asked.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/serving/cost.hpp"

namespace pageproof::decision {

struct CostQuestion {
  serving::ModelShape model;
  serving::Device device;
  std::uint32_t tp = 1;
  std::uint32_t batch = 32;      // running requests
  std::uint64_t context = 4096;  // tokens of each
  std::uint64_t output = 512;    // tokens that each decodes
  std::uint64_t block_tokens = 16;
  std::vector<double> traffic = {serving::kLeastTorchTraffic, serving::kTorchTraffic};
  std::vector<double> bytes_per_second = {1.5e12, 3e12};  // of the converter, a GPU
  std::optional<double> saving_ms = std::nullopt;  // a step, against a comparator; nothing: by the model
  double launch_microseconds = serving::kLaunchMicroseconds;
  bool with_launches = false;  // c counts them too
  serving::StepParameters step;
};

struct CostLine {
  std::string topic;  // "bytes", "conversion", "step", "pays from", "asm", "capacity", "transfer", "prefill"
  std::string name;
  double least = 0;  // equal where it is one figure; infinity: never
  double most = 0;
  std::string unit;
  std::string formula;
  std::string source;
};

struct CostSheet {
  CostQuestion question;
  std::vector<CostLine> lines;
};

// Refused: a field that is 0 or not finite, tp that does not divide the query heads, more than kMostBatch.
Expected<CostSheet> cost_sheet(const CostQuestion& question);

// The line of that name; asserts that there is one.
const CostLine& line_of(const CostSheet& sheet, std::string_view name);

std::string cost_text(const CostSheet& sheet);
nlohmann::ordered_json cost_json(const CostSheet& sheet);

}  // namespace pageproof::decision
