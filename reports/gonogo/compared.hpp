// The metrics of two setups in a cell, compared, with what chance has to do with it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "reports/gonogo/judge.hpp"

namespace pageproof::gonogo {

// Probabilities are asked for again and again with the same noise: kept by question.
class PowerOf {
 public:
  PowerOf(std::span<const Noise> noise, const Choices& choices, bool wanted)
      : noise_(noise), choices_(choices), wanted_(wanted) {}

  Power ask(const std::string& treated, const std::string& comparator, const std::string& metric,
            const Comparison& comparison);

 private:
  double cv(const std::string& setup, const std::string& metric) const;
  double kept(const PowerQuestion& question);

  std::span<const Noise> noise_;
  const Choices& choices_;
  bool wanted_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, double, double, double, Better>, double> kept_;
};

// What every question of one judgement is asked with.
struct Judging {
  const Choices& choices;
  const Terms& terms;
  std::span<const Placed> runs;
  PowerOf& power;
};

// Null where the setup is not there, or has no run with the metric.
const std::vector<double>* values_of(const SetupCell* setup, const std::string& metric);

// Compared where both sides have a repeat or more; evidence only where both have enough.
void compare_metrics(const Judging& on, const SetupCell& treated, const SetupCell& comparator,
                     Question& question, Evidence& evidence);

}  // namespace pageproof::gonogo
