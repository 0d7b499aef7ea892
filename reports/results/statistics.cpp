#include "reports/results/statistics.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string>

namespace pageproof::results {

double percentile(std::span<double> values, double percent) {
  const double rank = static_cast<double>(values.size() - 1) * percent / 100;
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  const double low = *at;
  if (below + 1 == values.size()) return low;
  const double high = *std::min_element(at + 1, values.end());
  return low + (high - low) * (rank - static_cast<double>(below));
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.empty()) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

std::optional<Statistic> Statistic::named(std::string_view name) {
  if (name == "mean") return Statistic(Kind::mean, 0);
  if (name == "std") return Statistic(Kind::std, 0);
  if (name == "median") return Statistic(Kind::percentile, 50);
  if (name == "min") return Statistic(Kind::percentile, 0);
  if (name == "max") return Statistic(Kind::percentile, 100);
  if (!name.starts_with('p')) return {};
  double percent = 0;
  const char* last = name.data() + name.size();
  const auto [stopped, error] = std::from_chars(name.data() + 1, last, percent, std::chars_format::fixed);
  if (error != std::errc{} || stopped != last || !(percent >= 0 && percent <= 100)) return {};
  return Statistic(Kind::percentile, percent);
}

double Statistic::of(std::span<double> values) const {
  if (values.empty()) return 0;
  if (kind_ == Kind::mean) return mean(values);
  if (kind_ == Kind::std) return standard_deviation(values);
  return percentile(values, percent_);
}

std::optional<double> Statistic::percent() const {
  if (kind_ != Kind::percentile) return {};
  return percent_;
}

}  // namespace pageproof::results
