// The statistics as the benchmark tools take them: percentiles interpolated linearly between the two values
// around rank (n-1)p/100 (numpy's default, type 7), the standard deviation of the population.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pageproof::results {

// Reorders the values; needs at least one. percent: 0 to 100.
double percentile(std::span<double> values, double percent);

// The middle one; of an even number the mean of the middle two; 0 where there are none.
double median(std::vector<double> values);

double mean(std::span<const double> values);                // 0 where there are none, as the tools write it
double standard_deviation(std::span<const double> values);  // the same

// "mean", "median", "std", "min", "max", "p99", "p99.9"; nullopt: no such statistic.
class Statistic {
 public:
  static std::optional<Statistic> named(std::string_view name);
  double of(std::span<double> values) const;  // reorders them; 0 where there are none
  // 50 of a median, 99.9 of "p99.9", 0 and 100 of min and max; nullopt: mean and std.
  std::optional<double> percent() const;

 private:
  enum class Kind { mean, std, percentile };
  Statistic(Kind kind, double percent) : kind_(kind), percent_(percent) {}
  Kind kind_;
  double percent_;
};

}  // namespace pageproof::results
