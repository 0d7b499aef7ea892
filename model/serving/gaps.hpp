// Times between tokens, counted: a histogram with 2,048 classes an octave, so a percentile is within 0.05 %
// of the exact one and a simulation adds a step of B requests in one move. Mean and deviation are exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pageproof::serving {

class GapHistogram {
 public:
  void add(double seconds, std::uint64_t weight) {
    const std::size_t at = class_of(seconds);
    if (at - from_ >= counts_.size()) make_room(at);
    counts_[at - from_] += weight;
    count_ += weight;
    sum_ += seconds * static_cast<double>(weight);
    squares_ += seconds * seconds * static_cast<double>(weight);
  }
  void add(const GapHistogram& other);

  std::uint64_t count() const { return count_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  double deviation() const;               // of the population
  double percentile(double share) const;  // share in [0, 1]; 0 where nothing was counted

 private:
  // The exponent and the first bits of the mantissa of an IEEE double are a logarithm with linear steps in
  // it.
  static constexpr int kBits = 11;
  static constexpr int kLeast = 1023 - 20;  // 2^-20 s, about a microsecond: what is shorter is counted there
  static constexpr int kOctaves = 32;       // to 2^12 s
  static constexpr std::size_t kClasses = static_cast<std::size_t>(kOctaves) << kBits;

  static std::size_t class_of(double seconds) {
    const std::int64_t bits = std::bit_cast<std::int64_t>(seconds) >> (52 - kBits);
    const std::int64_t from = static_cast<std::int64_t>(kLeast) << kBits;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(bits - from, 0, kClasses - 1));
  }
  static double lower_edge(std::size_t at);
  void make_room(std::size_t at);  // whole octaves, so that a run keeps the few that it needs

  std::vector<std::uint64_t> counts_;  // of class from_ and those that follow
  std::size_t from_ = 0;
  std::uint64_t count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

}  // namespace pageproof::serving
