#include "reports/gonogo/gaps.hpp"

#include "reports/results/client.hpp"

namespace pageproof::gonogo {

double GapCost::clean_mean_ms() const {
  return clean == 0 ? 0 : clean_sum_ms / static_cast<double>(clean);
}

double GapCost::interfered_mean_ms() const {
  return interfered == 0 ? 0 : interfered_sum_ms / static_cast<double>(interfered);
}

double GapCost::delta_ms() const {
  return clean == 0 || interfered == 0 ? 0 : interfered_mean_ms() - clean_mean_ms();
}

std::optional<double> GapCost::arrival_ms() const {
  if (pairs == 0 || clean == 0) return std::nullopt;
  return (interfered_sum_ms - static_cast<double>(interfered) * clean_mean_ms()) / static_cast<double>(pairs);
}

double GapCost::interfered_share() const {
  const std::size_t all = clean + interfered;
  return all == 0 ? 0 : static_cast<double>(interfered) / static_cast<double>(all);
}

std::optional<GapCost> gap_cost(const results::Run& run) {
  std::optional<results::GapSplit> split = run.gaps;
  if (!split && run.detailed) split = results::split_gaps(*run.detailed);
  if (!split || split->clean.count + split->interfered.count == 0) return std::nullopt;
  return GapCost{
      .clean = split->clean.count,
      .interfered = split->interfered.count,
      .pairs = split->arrivals,
      .clean_sum_ms = split->clean.mean_ms * static_cast<double>(split->clean.count),
      .interfered_sum_ms = split->interfered.mean_ms * static_cast<double>(split->interfered.count)};
}

GapCost pooled(const std::vector<GapCost>& runs) {
  GapCost out;
  for (const GapCost& run : runs) {
    out.clean += run.clean;
    out.interfered += run.interfered;
    out.pairs += run.pairs;
    out.clean_sum_ms += run.clean_sum_ms;
    out.interfered_sum_ms += run.interfered_sum_ms;
  }
  return out;
}

GapDifference difference(const std::string& setup, const GapCost& one, const std::string& comparator,
                         const GapCost& other) {
  GapDifference out{.setup = setup, .comparator = comparator};
  out.delta_ms = one.delta_ms() - other.delta_ms();
  if (one.arrival_ms() && other.arrival_ms()) out.arrival_ms = *one.arrival_ms() - *other.arrival_ms();
  return out;
}

}  // namespace pageproof::gonogo
