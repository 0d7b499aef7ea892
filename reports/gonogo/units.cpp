#include "reports/gonogo/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pageproof::gonogo {
namespace {

constexpr std::size_t kMostFiles = 3;

struct Extreme {
  const SetupCell* setup = nullptr;
  double median = 0;
};

std::string extreme_in_words(const Extreme& one, const Metric& metric, std::span<const Placed> runs) {
  std::vector<std::string> files;
  for (const std::size_t run : one.setup->samples.at(metric.name).of_run) {
    files.push_back(printable(runs[run].run->source));
  }
  return fmt::format("{:g} {} in {} ({})", one.median, metric.unit, one.setup->setup,
                     some_of(files, kMostFiles));
}

}  // namespace

std::string some_of(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(std::span(names).first(most), ", "), names.size() - most);
}

std::string units_apart(const Cell& cell, std::span<const Placed> runs, std::span<const std::string> setups,
                        const Terms& terms) {
  for (const Metric& metric : metrics()) {
    if (!metric.rule) continue;
    Extreme least;
    Extreme most;
    for (const std::string& name : setups) {
      const SetupCell* setup = cell.find(name);
      if (setup == nullptr || !setup->samples.contains(metric.name)) continue;
      const double median = terms.centre(setup->samples.at(metric.name).values);
      if (least.setup == nullptr || median < least.median) least = {setup, median};
      if (most.setup == nullptr || median > most.median) most = {setup, median};
    }
    if (least.setup == nullptr || terms.one_unit(least.median, most.median)) continue;
    return fmt::format("{}: {}: {} and {}: a unit error is suspected, nothing is judged by it",
                       to_string(cell.key), metric.name, extreme_in_words(least, metric, runs),
                       extreme_in_words(most, metric, runs));
  }
  return {};
}

}  // namespace pageproof::gonogo
